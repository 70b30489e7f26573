// The same as for `require`, with the types that LangChain has for `import`: they are not the same.
import type { AnyAgentMiddleware } from 'langchain';

import type { LangChainOptions } from './options.js';

/** Folds what an agent sends, for `createAgent({ middleware: [enfoldMiddleware({ budget: '100k' })] })`. */
export function enfoldMiddleware(options: LangChainOptions): AnyAgentMiddleware;
