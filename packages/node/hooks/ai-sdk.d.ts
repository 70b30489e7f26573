import type { HookOptions } from './options.js';

/** How a hook for the AI SDK folds. */
export interface AiSdkOptions extends HookOptions {
  /** A conversation's name, from a request's parameters or a step. Without one it is known by how it begins. */
  conversation?: (request: any) => string | undefined;
  /** Has `prepareStep` say which tools are active: these, and those that the messages of the view still refer to. */
  keepTools?: readonly string[];
}

/** Folds for the AI SDK. Use the middleware or `prepareStep`, not both. */
export interface Folding {
  /** For `wrapLanguageModel({ model, middleware })`: the whole prompt with its tools. */
  readonly middleware: {
    specificationVersion: any;
    transformParams: (options: any) => Promise<any>;
    wrapGenerate: (options: any) => Promise<any>;
    wrapStream: (options: any) => Promise<any>;
  };
  /** For `generateText`, `streamText` and agents: messages in, messages out. */
  readonly prepareStep: (step: any) => Promise<{ messages: any[]; activeTools?: any[] }>;
  /** When the work is done and the user has the word: folds what the next request need not hold. */
  settle(): Promise<void>;
  /** Does the work and settles, also when the work fails. */
  work<T>(work: (folding: Folding) => Promise<T>): Promise<T>;
  /** The original behind a handle: what a tool that opens folds returns. */
  recall(handle: string): Promise<string | undefined>;
}

/** Folds for the AI SDK, versions 6 and 7. */
export function enfold(options: AiSdkOptions): Folding;
