'use strict';
// Messages of the AI SDK on their way in and out: what JSON cannot say comes back as it was.

/** Messages as JSON can say them: bytes as base64. Those without bytes are themselves. */
class Plain {
  #known = new WeakMap();

  all(messages) {
    return messages.map((message) => this.of(message));
  }

  of(message) {
    if (message === null || typeof message !== 'object') return message;
    const known = this.#known.get(message);
    if (known !== undefined) return known.plain;
    const bytes = new Map();
    const content = Array.isArray(message.content) ? message.content.map((part) => plain(part, bytes)) : message.content;
    const written = { plain: bytes.size === 0 ? message : { ...message, content }, bytes };
    this.#known.set(message, written);
    return written.plain;
  }

  /** The messages of a view as the SDK has them. */
  view(view, whole) {
    return view.origins.map(({ kind, index }, nth) => {
      if (kind === 'same') return whole[index];
      return kind === 'changed' ? this.#read(whole[index], view.messages[nth]) : view.messages[nth];
    });
  }

  /** A folded message, with the bytes that its parts had. */
  #read(own, folded) {
    const bytes = this.#known.get(own)?.bytes;
    if (bytes === undefined || bytes.size === 0 || !Array.isArray(folded.content)) return folded;
    return { ...folded, content: folded.content.map((part) => restored(part, bytes)) };
  }
}

function plain(value, bytes) {
  if (value === null || typeof value !== 'object') return value;
  const view = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
  if (ArrayBuffer.isView(view)) {
    const text = Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64');
    bytes.set(text, value);
    return text;
  }
  if (typeof value.toJSON === 'function') return value;
  const copied = (it) => plain(it, bytes);
  return Array.isArray(value) ? value.map(copied) : Object.fromEntries(Object.entries(value).map(([key, it]) => [key, copied(it)]));
}

function restored(value, bytes) {
  if (typeof value === 'string') return bytes.get(value) ?? value;
  if (value === null || typeof value !== 'object') return value;
  const back = (it) => restored(it, bytes);
  return Array.isArray(value) ? value.map(back) : Object.fromEntries(Object.entries(value).map(([key, it]) => [key, back(it)]));
}

/** A message as providers take it: what a person or the model says is a list of parts. */
function asPrompt(message) {
  if (message.role === 'system' || typeof message.content !== 'string') return message;
  return { ...message, content: [{ type: 'text', text: message.content }] };
}

module.exports = { Plain, asPrompt };
