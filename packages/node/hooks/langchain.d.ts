import type { AgentMiddleware } from 'langchain';

import type { HookOptions } from './ai-sdk.js';

/** How the middleware folds. */
export interface LangChainOptions extends HookOptions {
  /** Gives the agent a tool, `unfold`, that opens folds. */
  recall?: boolean;
}

/** Folds what an agent sends, for `createAgent({ middleware: [enfoldMiddleware({ budget: '100k' })] })`. */
export function enfoldMiddleware(options: LangChainOptions): AgentMiddleware;
