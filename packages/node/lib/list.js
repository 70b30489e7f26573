'use strict';
// A host's list on its way in. Hosts give their whole list with every request; only what is new in it is written.

const native = require('./native.js');
const { Known, described } = require('./written.js');

// How long a promise's caller may hold the event loop before others get their turn, in milliseconds.
const SLICE = 1;

/** A copy of the list: whatever happens to the host's own from here on, this one stays. */
function copied(messages) {
  const isList = typeof messages === 'object' && messages !== null && typeof messages[Symbol.iterator] === 'function';
  if (!isList || ArrayBuffer.isView(messages)) {
    const what = `messages: expected a list of objects, not ${described(messages)}`;
    throw new TypeError(`${what}; a single one goes into a list of its own`);
  }
  return [...messages];
}

/** A host's list as objects and texts. What stands in `known` at the same place and has not changed is not written again. */
function* writing(messages, known) {
  const written = [];
  let since = performance.now();
  for (let nth = 0; nth < messages.length; nth++) {
    const before = known[nth];
    written.push(before?.is(messages[nth]) ? before : Known.write(messages[nth], nth));
    if (performance.now() - since > SLICE) {
      yield;
      since = performance.now();
    }
  }
  return written;
}

/** Texts on their way into the native part. */
function* crossing(written, from) {
  const texts = new native.Texts();
  let since = performance.now();
  for (let nth = from; nth < written.length; nth++) {
    texts.push(written[nth].text);
    if (performance.now() - since > SLICE) {
      yield;
      since = performance.now();
    }
  }
  return texts;
}

/** Does it in one go. */
function atOnce(steps) {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does it in slices, with the event loop's turns between them. */
async function inSlices(steps) {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Texts of what a function is given: messages, or a whole session as text or bytes. */
function* given(messages) {
  if (typeof messages === 'string') return { objects: [], texts: new native.Texts(messages) };
  if (ArrayBuffer.isView(messages)) {
    const bytes = Buffer.from(messages.buffer, messages.byteOffset, messages.byteLength);
    return { objects: [], texts: new native.Texts(bytes) };
  }
  const objects = copied(messages);
  const written = yield* writing(objects, []);
  return { objects, texts: yield* crossing(written, 0) };
}

module.exports = { copied, writing, crossing, atOnce, inSlices, given };
