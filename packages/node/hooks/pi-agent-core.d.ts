import type { HookOptions } from './options.js';

/** Folds for an agent of pi-agent-core. */
export interface Folding {
  /** For `new Agent({ transformContext })`. It never throws: what cannot be folded is sent as it is, with a warning. */
  readonly transformContext: (messages: any[], signal?: AbortSignal) => Promise<any[]>;
  /** When the work is done and the user has the word: folds what the next request need not hold. */
  settle(): Promise<void>;
  /** The original behind a handle: what a tool that opens folds returns. */
  recall(handle: string): Promise<string | undefined>;
}

/** Folds for an agent of pi-agent-core. It is not shown the system prompt and the tools: give them as options, or leave room. */
export function enfold(options: HookOptions): Folding;
