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
  /** Your clock, in milliseconds since 1970: tells when the cache is cold. `Date.now`. A stored session has one of its own. */
  now?: () => number;
  /** Conversations that are remembered. 256. */
  most?: number;
}

/** How the middleware for LangChain folds. */
export interface LangChainOptions extends HookOptions {
  /** Gives the agent a tool, `unfold`, that opens folds. */
  recall?: boolean;
}
