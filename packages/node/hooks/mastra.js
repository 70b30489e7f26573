'use strict';
// Mastra: folds what a model is sent, never what an agent remembers.

const { Folder, isOverflow } = require('../lib/folder.js');
const { Plain, asPrompt } = require('./ai-sdk-messages.js');

/** A processor for `inputProcessors`, and for `errorProcessors` too: then a refusal as too long is answered. */
function enfoldProcessor(options = {}) {
  const { conversation = thread, ...rest } = options;
  return new EnfoldProcessor(new Folder(rest, 'ai-sdk'), conversation);
}

class EnfoldProcessor {
  id = 'enfold';
  name = 'Enfold';
  #folder;
  #conversation;
  #written = new Plain();

  constructor(folder, conversation) {
    this.#folder = folder;
    this.#conversation = conversation;
  }

  /** The prompt of a view. Nothing, if what must stay does not fit after a refusal: the next one is the caller's. */
  async processLLMRequest(request) {
    const { prompt, state } = request;
    const messages = this.#written.all(prompt);
    const session = this.#folder.session(this.#conversation(request), messages);
    const view = state.wasTooLong ? await this.#folder.harder(session, messages) : await this.#folder.prepare(session, messages, {});
    state.wasTooLong = false;
    return view && { prompt: this.#written.view(view, prompt).map(asPrompt) };
  }

  /** Once more where the provider says that it was too long. */
  processAPIError({ error, state, retryCount }) {
    if (retryCount > 0 || !isOverflow(error)) return undefined;
    state.wasTooLong = true;
    return { retry: true };
  }

  async settle() {
    await this.#folder.settle();
  }

  async recall(handle) {
    return this.#folder.recall(handle);
  }
}

/** The thread that an agent remembers a conversation under. */
function thread({ requestContext }) {
  return requestContext?.get('MastraMemory')?.thread?.id;
}

module.exports = { enfoldProcessor };
