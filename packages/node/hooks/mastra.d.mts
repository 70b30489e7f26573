export * from './mastra.js';
