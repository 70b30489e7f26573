import type { Event, Question, Session, SessionOptions, StoredSession } from '../lib/index.js';

/** How a hook folds: as `Session`, and what hooks add. */
export interface HookOptions extends Omit<SessionOptions, 'asks' | 'format'> {
  /** A session of your own for everything; without one there is one per conversation. */
  session?: Session | StoredSession;
  /** Hears what happens: `compaction:start` before a model is asked, `prune:complete`, `compaction:complete`, … */
  onEvent?: (event: Event) => void;
  /** Asks a model for a summary (with a policy that makes them). If it fails, the agent goes on without. */
  summarize?: (question: Question) => Promise<string | { text: string; finish?: string }>;
  /** Tokens that the model reads which writes summaries. 128,000. */
  summarizerWindow?: number;
  /** Conversations that are remembered. 256. */
  most?: number;
}

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
