import hook from './mastra.js';

export const { enfoldProcessor } = hook;
