'use strict';
// What can go wrong. Every error has a `code`; `messageIndex` is the place of the message that is to blame.

const native = require('./native.js');
const { camel } = require('./names.js');

class EnfoldError extends Error {
  constructor(text, code, messageIndex) {
    super(text);
    this.name = new.target.name;
    this.code = code ?? new.target.code;
    this.messageIndex = messageIndex;
  }
  static code = 'error';
}

class BadInput extends EnfoldError { static code = 'bad_input'; }
class BadOption extends EnfoldError { static code = 'bad_option'; }
class CannotFit extends EnfoldError { static code = 'cannot_fit'; }
class StoreError extends EnfoldError { static code = 'store'; }
class Busy extends EnfoldError { static code = 'busy'; }
class Reentered extends EnfoldError { static code = 'reentered'; }
class Broken extends EnfoldError { static code = 'broken'; }

const kinds = { BadInput, BadOption, CannotFit, StoreError, Busy, Reentered, Broken };
const byCode = new Map(Object.values(kinds).map((kind) => [kind.code, kind]));

/** The error for what the native part threw: code, place and text, by lines. */
function of(thrown) {
  const [mark, code, place, ...text] = String(thrown?.message).split('\n');
  if (mark !== 'enfold') return thrown;
  const kind = byCode.get(code) ?? EnfoldError;
  const said = kind === BadOption ? inJavaScript(text.join('\n')) : text.join('\n');
  return new kind(said, code, place === '' ? undefined : Number(place));
}

/** Names of options as JavaScript writes them. Other names (of passes, of tools) stay. */
function inJavaScript(text) {
  const known = new Set(native.optionNames());
  const named = text.replace(/`([a-z_]+)`/g, (quoted, name) => (known.has(name) ? `\`${camel(name)}\`` : quoted));
  return named.replace(/^there is no option `[a-z_]+`/, camel);
}

/** Calls the native part. */
function calling(call) {
  try {
    return call();
  } catch (thrown) {
    throw of(thrown);
  }
}

/** Waits for the native part. */
async function waiting(call) {
  try {
    return await call();
  } catch (thrown) {
    throw of(thrown);
  }
}

module.exports = { EnfoldError, ...kinds, calling, waiting };
