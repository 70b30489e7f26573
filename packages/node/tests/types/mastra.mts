// The hook is what Mastra asks for.
import { Agent } from '@mastra/core/agent';
import { enfoldProcessor } from 'enfold/mastra';

const processor = enfoldProcessor({ budget: '8k', conversation: ({ agent }) => agent.id });
new Agent({ id: 'a', name: 'a', instructions: 'x', model: 'openai/gpt-5', inputProcessors: [processor], errorProcessors: [processor] });
const original: string | undefined = await processor.recall('#123456789');
await processor.settle();
console.log(original);
