'use strict';
// pi-agent-core: folds what a model is sent, in `transformContext`. What the agent keeps stays whole.

const { Folder } = require('../lib/folder.js');

/** Folds for an agent of pi-agent-core. */
function enfold(options = {}) {
  return new Folding(new Folder(options, 'pi-agent-core'));
}

class Folding {
  #folder;
  #bare = new WeakMap();

  constructor(folder) {
    this.#folder = folder;
    this.transformContext = (messages) => this.#transformed(messages);
  }

  async settle() {
    await this.#folder.settle();
  }

  async recall(handle) {
    return this.#folder.recall(handle);
  }

  /** The loop does not stand it when this throws: what cannot be folded is sent as it is, and said so. */
  async #transformed(messages) {
    try {
      const bare = messages.map((message) => this.#of(message));
      const view = await this.#folder.prepare(this.#folder.session(undefined, bare), bare);
      return view.origins.map(({ kind, index }, nth) => {
        if (kind === 'same') return messages[index];
        return kind === 'changed' ? { ...messages[index], ...view.messages[nth] } : view.messages[nth];
      });
    } catch (error) {
      process.emitWarning(`the messages are sent as they are: ${error?.message ?? error}`, 'EnfoldWarning');
      return messages;
    }
  }

  /** A message as its model reads it: without `details`, which are the app's and may be anything. */
  #of(message) {
    if (message?.details === undefined) return message;
    const known = this.#bare.get(message);
    if (known !== undefined) return known;
    const { details: _, ...bare } = message;
    this.#bare.set(message, bare);
    return bare;
  }
}

module.exports = { enfold };
