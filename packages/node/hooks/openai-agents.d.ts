import type { HookOptions } from './options.js';

/** A model around yours that folds what it is asked, for `new Agent({ model })`. */
export function foldModel<M extends object>(model: M, options: HookOptions): M;
