'use strict';
// Functions: folding once, and looking without folding. Each has a twin that does it here and now.

const native = require('./native.js');
const { calling, waiting } = require('./errors.js');
const { atOnce, given, inSlices } = require('./list.js');
const { inTurn, persisting, refuse } = require('./persist.js');
const { View } = require('./view.js');
const { options, whole } = require('./written.js');

async function fold(messages, how) {
  const { rest, keep } = persisting(how);
  const said = options(rest);
  return waiting(async () => {
    const { objects, texts } = await inSlices(given(messages));
    return new View(await inTurn(keep, () => native.fold(texts, said, keep)), objects);
  });
}

function foldSync(messages, how) {
  return calling(() => {
    const { rest, keep } = persisting(how);
    refuse(keep, 'fold');
    const { objects, texts } = atOnce(given(messages));
    return new View(native.foldSync(texts, options(rest)), objects);
  });
}

/** A function that looks, and its twin. `what(options)` is what the native part is asked; the rest of them are options. */
function looking(what, read) {
  const asked = (how = {}) => {
    const { tokens, ...rest } = how;
    return [what(tokens), options(rest)];
  };
  const later = async (messages, how) => {
    const [word, said] = asked(how);
    const { texts } = await inSlices(given(messages));
    return read(JSON.parse(await waiting(() => native.look(word, texts, said))));
  };
  const now = (messages, how) => {
    const [word, said] = asked(how);
    const { texts } = atOnce(given(messages));
    return read(JSON.parse(calling(() => native.lookSync(word, texts, said))));
  };
  return [later, now];
}

const [inspect, inspectSync] = looking(() => 'inspect', (seen) => seen);
const [count, countSync] = looking(() => 'count', (seen) => seen.tokens);
const [validate, validateSync] = looking(() => 'check', (seen) => seen.findings);
const [ledger, ledgerSync] = looking((tokens = 1_500) => `ledger ${whole('tokens', tokens)}`, (seen) => seen);

function converting(to) {
  const read = ({ system, tools, ...rest }) => ({ ...rest, system: system ?? undefined, tools: tools ?? undefined });
  return looking(() => `convert ${to}`, read);
}

async function convert(messages, to, how) {
  return converting(to)[0](messages, how);
}

function convertSync(messages, to, how) {
  return converting(to)[1](messages, how);
}

function countText(text, how) {
  const said = options(typeof how === 'string' ? { model: how } : how);
  return calling(() => native.countText(text, said));
}

module.exports = {
  fold, foldSync, inspect, inspectSync, count, countSync, countText, validate, validateSync, ledger, ledgerSync, convert,
  convertSync,
};
