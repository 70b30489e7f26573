import hook from './ai-sdk.js';

export const { enfold } = hook;
