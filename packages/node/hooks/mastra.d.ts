import type { HookOptions } from './options.js';

/** How a processor for Mastra folds. */
export interface MastraOptions extends HookOptions {
  /** A conversation's name, from what the processor is asked. Without one it is the thread, or known by how it begins. */
  conversation?: (request: any) => string | undefined;
}

/** Folds for Mastra. */
export interface EnfoldProcessor {
  readonly id: 'enfold';
  readonly name: string;
  /** What goes to the provider in place of the prompt. */
  processLLMRequest(request: any): Promise<{ prompt: any } | undefined>;
  /** Once more where the provider says that it was too long. */
  processAPIError(refused: any): { retry: boolean } | undefined;
  /** When the work is done and the user has the word: folds what the next request need not hold. */
  settle(): Promise<void>;
  /** The original behind a handle: what a tool that opens folds returns. */
  recall(handle: string): Promise<string | undefined>;
}

/** A processor for `inputProcessors`, and for `errorProcessors` too: then a refusal as too long is answered. */
export function enfoldProcessor(options: MastraOptions): EnfoldProcessor;
