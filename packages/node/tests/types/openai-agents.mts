// The hook is what OpenAI Agents asks for.
import { Agent, type Model } from '@openai/agents';
import { foldModel } from 'enfold/openai-agents';

declare const model: Model;
new Agent({ name: 'a', model: foldModel(model, { budget: '8k' }) });
