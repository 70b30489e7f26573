import hook from './pi-agent-core.js';

export const { enfold } = hook;
