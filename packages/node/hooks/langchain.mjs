import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { HumanMessage, createMiddleware, tool } from 'langchain';

import hook from './langchain-made.js';

export const enfoldMiddleware = hook.made({ createMiddleware, HumanMessage, tool, convertToOpenAITool });
