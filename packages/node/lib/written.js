'use strict';
// A message as JSON text: what `JSON.stringify` would write, but nothing is lost silently. What JSON cannot say is refused with its
// place. What was written before is written again only if something in it changed.

const native = require('./native.js');
const { BadInput, BadOption } = require('./errors.js');
const { snake } = require('./names.js');

// How deep values may be nested. Whatever refers to itself is deeper.
const DEEPEST = 200;

/** Stands among the marks for an object of so many keys, or a list of so many values. */
class Holder {
  constructor(isList, length) {
    this.isList = isList;
    this.length = length;
  }
}

/** Writes a value and notes what it is made of: texts and numbers, which cannot change, and how many there are of each. */
class Writer {
  text = '';
  marks = [];
  path = [];

  value(given) {
    if (this.path.length > DEEPEST) {
      // The whole way down says no more than its beginning.
      this.path.length = 4;
      throw new Refused(`nested deeper than ${DEEPEST} values, or it holds itself`);
    }
    const value = spoken(given);
    if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value)) this.list(value);
      else this.object(value);
      return;
    }
    this.marks.push(value);
    this.text += leaf(value);
  }

  object(object) {
    const foreign = refusal(object);
    if (foreign) throw new Refused(foreign);
    const keys = saidKeys(object);
    this.marks.push(new Holder(false, keys.length));
    this.text += '{';
    for (let nth = 0; nth < keys.length; nth++) {
      const key = keys[nth];
      if (nth > 0) this.text += ',';
      this.marks.push(key);
      this.text += quoted(key) + ':';
      this.path.push(key);
      this.value(object[key]);
      this.path.pop();
    }
    this.text += '}';
  }

  list(list) {
    this.marks.push(new Holder(true, list.length));
    this.text += '[';
    for (let nth = 0; nth < list.length; nth++) {
      if (nth > 0) this.text += ',';
      this.path.push(nth);
      this.value(list[nth]);
      this.path.pop();
    }
    this.text += ']';
  }

  /** What is wrong, with the place: `content[2].text: …`. */
  at(what) {
    let place = '';
    for (const step of this.path) {
      if (typeof step === 'number') place += `[${step}]`;
      else place += place === '' ? step : `.${step}`;
    }
    return place === '' ? what : `${place}: ${what}`;
  }
}

class Refused extends Error {}

/** What an object says of itself in JSON, as a Date or a URL does. */
function spoken(value) {
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value;
  return typeof value.toJSON === 'function' ? value.toJSON() : value;
}

function saidKeys(object) {
  const keys = Object.keys(object);
  const isUnsaid = (key) => object[key] === undefined;
  return keys.some(isUnsaid) ? keys.filter((key) => !isUnsaid(key)) : keys;
}

function leaf(value) {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      if (!Number.isFinite(value)) throw new Refused(`${value} is no JSON number; leave it out or say null`);
      return String(value);
    case 'boolean':
      return String(value);
    case 'bigint':
      throw new Refused('a BigInt is no JSON value; give it as a number or a text');
    default:
      if (value === null) return 'null';
      throw new Refused(`${described(value)} is no JSON value`);
  }
}

function quoted(text) {
  if (!text.isWellFormed()) {
    throw new Refused('the text holds half of a surrogate pair, which is no character; give its .toWellFormed()');
  }
  return JSON.stringify(text);
}

// What `JSON.stringify` writes as something else than what it holds.
function refusal(object) {
  const holds = ArrayBuffer.isView(object) || object instanceof ArrayBuffer;
  if (holds) return `${described(object)} is no JSON value; give it as base64 where the format has a place for it`;
  const kinds = [Map, Set, WeakMap, WeakSet, Promise, RegExp, Boolean, Number, String];
  return kinds.some((kind) => object instanceof kind) ? `${described(object)} is no JSON value` : undefined;
}

/** What a value is, for people. */
function described(value) {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object') return `a ${typeof value}`;
  return `a \`${value.constructor?.name ?? 'object'}\``;
}

/** An object and the text it was written as. */
class Known {
  constructor(object, text, marks) {
    this.object = object;
    this.text = text;
    this.marks = marks;
  }

  /** Writes a message; `place` is where it stands in its list. */
  static write(message, place) {
    const writer = new Writer();
    try {
      if (message === null || typeof message !== 'object' || Array.isArray(message)) {
        throw new Refused(`a message is an object, not ${described(message)}`);
      }
      writer.value(message);
      if (writer.text[0] !== '{') throw new Refused('a message is an object, and its toJSON() gives none');
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw named(thrown, place);
      throw new BadInput(`message ${place}: ${writer.at(thrown.message)}`, undefined, place);
    }
    return new Known(message, writer.text, writer.marks);
  }

  /** Whether this is the object and nothing in it changed. */
  is(object) {
    if (object !== this.object) return false;
    const at = { next: 0 };
    return isSame(object, this.marks, at) && at.next === this.marks.length;
  }
}

function isSame(given, marks, at) {
  const mark = marks[at.next++];
  const value = spoken(given);
  if (!(mark instanceof Holder)) return mark === value;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== mark.isList) return false;
  if (mark.isList) {
    return value.length === mark.length && value.every((item) => isSame(item, marks, at));
  }
  const keys = saidKeys(value);
  return keys.length === mark.length && keys.every((key) => marks[at.next++] === key && isSame(value[key], marks, at));
}

/** An error of the host's own, from one of its getters: the message is named, the error is its cause. */
function named(thrown, place) {
  const error = new BadInput(`message ${place}: reading it failed: ${thrown?.message ?? thrown}`, undefined, place);
  error.cause = thrown;
  return error;
}

/** The text of options. Names are those of JavaScript (`summarizerUrl`); what is undefined or null is not said. */
function options(given) {
  if (given === undefined) return '{}';
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw new BadOption(`options: expected an object, not ${described(given)}`);
  }
  const said = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  const text = value(Object.fromEntries(said.map(([name, value]) => [snake(name), value])));
  if (given.model !== undefined) warnOnce(String(given.model), text);
  return text;
}

// Models that were warned of.
const warned = new Set();

/** Says once in a process that a model is unknown, and what is assumed of it. */
function warnOnce(model, text) {
  if (warned.has(model)) return;
  let warnings = [];
  try {
    warnings = native.warnings(text);
  } catch {
    // What is wrong with the options is said by what they are for.
    return;
  }
  if (warnings.length > 0) warned.add(model);
  for (const warning of warnings) process.emitWarning(warning, 'EnfoldWarning');
}

/** The text of an option's value. */
function value(given) {
  const writer = new Writer();
  try {
    writer.value(given);
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown;
    throw new BadOption(writer.at(thrown.message));
  }
  return writer.text;
}

/** A number of tokens or the like, as the native part takes them. */
function whole(name, given) {
  if (Number.isInteger(given) && given >= 0 && given < 2 ** 32) return given;
  throw new BadOption(`${name}: ${String(given)} is no whole number from 0 on`);
}

module.exports = { Known, described, options, value, whole };
