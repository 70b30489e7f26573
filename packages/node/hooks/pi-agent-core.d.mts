export * from './pi-agent-core.js';
