// The hook is what LangChain asks for.
import { enfoldMiddleware } from 'enfold/langchain';
import { createAgent } from 'langchain';

createAgent({ model: 'openai:x', tools: [], middleware: [enfoldMiddleware({ budget: '8k', recall: true })] });
