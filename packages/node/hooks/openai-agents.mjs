import hook from './openai-agents.js';

export const { foldModel } = hook;
