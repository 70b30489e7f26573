'use strict';
// AI SDK 6 and 7: folds what a model is sent, never what your app keeps.

const { Folder, isOverflow } = require('../lib/folder.js');
const { Plain, asPrompt } = require('./ai-sdk-messages.js');

/** Folds for the AI SDK: a middleware for `wrapLanguageModel`, and a `prepareStep`. */
function enfold(options = {}) {
  const { conversation, keepTools, ...rest } = options;
  return new Folding(new Folder(rest, 'ai-sdk'), { conversation, keepTools });
}

class Folding {
  #folder;
  #conversation;
  #keepTools;
  #written = new Plain();
  /** Of each session, the list that `prepareStep` was given last and what it gave back. */
  #steps = new WeakMap();
  /** Of each folded request, what it was made of. */
  #whole = new WeakMap();

  constructor(folder, { conversation, keepTools }) {
    this.#folder = folder;
    this.#conversation = conversation;
    this.#keepTools = keepTools;
    this.prepareStep = (step) => this.#prepareStep(step);
    this.middleware = {
      // What an SDK takes the other one's for: neither looks at it when it runs.
      specificationVersion: 'v4',
      transformParams: ({ params }) => this.#folded(params),
      wrapGenerate: ({ doGenerate, params, model }) => this.#tried(doGenerate, params, (harder) => model.doGenerate(harder)),
      wrapStream: ({ doStream, params, model }) => this.#tried(doStream, params, (harder) => model.doStream(harder)),
    };
  }

  async settle() {
    await this.#folder.settle();
  }

  async work(work) {
    try {
      return await work(this);
    } finally {
      await this.settle();
    }
  }

  async recall(handle) {
    return this.#folder.recall(handle);
  }

  /** A request whose prompt is folded. */
  async #folded(params) {
    const { prompt: whole, tools } = params;
    const messages = this.#written.all(whole);
    const session = this.#folder.session(this.#conversation?.(params), messages);
    const beside = { tools: tools?.filter(({ type }) => type === 'function') };
    return this.#request(params, whole, session, await this.#folder.prepare(session, messages, beside));
  }

  #request(params, whole, session, view) {
    const folded = { ...params, prompt: this.#written.view(view, whole).map(asPrompt) };
    this.#whole.set(folded, { session, whole });
    return folded;
  }

  /** Tries; if the provider says that it was too long, folds harder and tries once more. */
  async #tried(first, params, again) {
    const sent = this.#whole.get(params);
    try {
      return await this.#answered(sent, first());
    } catch (error) {
      if (sent === undefined || !isOverflow(error)) throw error;
      const view = await this.#folder.harder(sent.session, this.#written.all(sent.whole));
      if (view === undefined) throw error;
      return this.#answered(sent, again(this.#request(params, sent.whole, sent.session, view)));
    }
  }

  #answered(sent, answer) {
    return sent === undefined ? answer : this.#folder.answered(sent.session, answer);
  }

  async #prepareStep(step) {
    const session = this.#folder.session(this.#conversation?.(step), this.#written.all(step.initialMessages ?? step.messages));
    const whole = wholeOf(step, this.#steps.get(session));
    const system = step.instructions ?? step.system;
    const beside = typeof system === 'string' ? { system } : {};
    const view = await this.#folder.prepare(session, this.#written.all(whole), beside);
    const messages = this.#written.view(view, whole);
    this.#steps.set(session, { whole, messages });
    if (this.#keepTools === undefined) return { messages };
    return { messages, activeTools: [...new Set([...this.#keepTools, ...view.tools])] };
  }
}

/** The whole list. Version 6 gives it with every step; version 7 gives what the step before gave back, and what is new. */
function wholeOf({ messages, initialMessages, responseMessages, stepNumber }, last) {
  if (responseMessages === undefined || stepNumber === 0) return messages;
  const isNext = last?.messages.every((message, nth) => messages[nth] === message);
  if (isNext) return [...last.whole, ...messages.slice(last.messages.length)];
  return [...initialMessages, ...responseMessages];
}

module.exports = { enfold };
