'use strict';
// OpenAI Agents: a model that folds what it is asked, never what a run's session keeps.

const { Folder, Written, isOverflow } = require('../lib/folder.js');

/** A model around yours, for `new Agent({ model })`. */
function foldModel(model, options = {}) {
  return new FoldingModel(model, new Folder(options, 'openai-responses'));
}

class FoldingModel {
  #inner;
  #folder;
  #written = new Written(written, (item) => [item.content, item.output, item.arguments, item.callId]);

  constructor(inner, folder) {
    this.#inner = inner;
    this.#folder = folder;
  }

  get supportsPromptModelSelection() {
    return this.#inner.supportsPromptModelSelection;
  }

  getRetryAdvice(failed) {
    return this.#inner.getRetryAdvice?.(failed);
  }

  async getResponse(request) {
    if (isElsewhere(request)) return this.#inner.getResponse(request);
    const { session, items, beside } = this.#found(request);
    return this.#folder.send(session, items, beside, (view) => this.#inner.getResponse(folded(request, view)));
  }

  async *getStreamedResponse(request) {
    if (isElsewhere(request)) {
      yield* this.#inner.getStreamedResponse(request);
      return;
    }
    const { session, items, beside } = this.#found(request);
    const view = await this.#folder.prepare(session, items, beside);
    let hasBegun = false;
    try {
      for await (const event of this.#inner.getStreamedResponse(folded(request, view))) {
        hasBegun = true;
        yield event;
      }
    } catch (error) {
      // What has been told cannot be taken back.
      const harder = !hasBegun && isOverflow(error) ? await this.#folder.harder(session, items) : undefined;
      if (harder === undefined) throw error;
      yield* this.#inner.getStreamedResponse(folded(request, harder));
    }
  }

  #found({ input, systemInstructions, tools }) {
    const items = input.map((item) => this.#written.of(item));
    const session = this.#folder.session(undefined, items);
    return { session, items, beside: { system: systemInstructions, tools: tools?.map(definition) } };
  }
}

/** Whether the server holds the history, or there is none. */
function isElsewhere({ input, previousResponseId, conversationId }) {
  return typeof input === 'string' || Boolean(previousResponseId || conversationId);
}

/** The request with the items of a view: the run's own where nothing changed. */
function folded(request, view) {
  const input = view.origins.map(({ kind, index }, nth) => {
    if (kind === 'same') return request.input[index];
    return kind === 'changed' ? patched(request.input[index], view.messages[nth]) : view.messages[nth];
  });
  return { ...request, input };
}

/** A copy of the run's item that says what the folded one says; everything else stays. */
function patched(own, item) {
  if (own.type !== 'function_call_result') return { ...own, content: item.content };
  const isObject = typeof own.output === 'object' && !Array.isArray(own.output) && typeof item.output === 'string';
  return { ...own, output: isObject ? { type: 'text', text: item.output } : item.output };
}

/** An item as OpenAI Responses has it. */
function written(item) {
  switch (item.type) {
    case 'function_call':
      return { type: 'function_call', call_id: item.callId, name: item.name, arguments: item.arguments };
    case 'function_call_result':
      return { type: 'function_call_output', call_id: item.callId, output: output(item.output) };
    case 'reasoning':
      return { type: 'reasoning', summary: item.content.map(({ text }) => ({ type: 'summary_text', text })) };
    case undefined:
    case 'message':
      return { type: 'message', role: item.role, content: item.content };
    default:
      return item;
  }
}

function output(given) {
  if (given?.type === 'text') return given.text;
  return typeof given === 'string' || Array.isArray(given) ? given : JSON.stringify(given);
}

function definition({ type, name, description, parameters }) {
  return type === 'function' ? { type, name, description, parameters } : { type: type ?? 'hosted_tool', name };
}

module.exports = { foldModel };
