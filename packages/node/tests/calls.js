'use strict';
// What a case of the contract calls, by name, and what comes back as plain data. Cases name everything as Enfold writes it
// (`max_file_reads`); JavaScript's names are made of that and back.

const { enfold } = require('./enfold.js');

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const snake = (name) => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

function keys(value, spelled) {
  if (Array.isArray(value)) return value.map((one) => keys(one, spelled));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [spelled(key), keys(one, spelled)]));
}

/** Options with JavaScript's names; what they hold stays: names of tools, definitions. */
const named = (options = {}) => Object.fromEntries(Object.entries(options).map(([name, value]) => [camel(name), value]));

/** What the call gives, or what is wrong. */
async function answer({ call, options, with: beside = {} }, messages) {
  try {
    return await calls[call](messages, named(options), beside);
  } catch (error) {
    if (!(error instanceof enfold.EnfoldError)) throw error;
    return { error: error.code, text: error.message };
  }
}

function folded(view) {
  const { format, tokens, epoch, unchanged, messages, texts, report } = view;
  return {
    format, tokens, epoch, opened: view.opened ?? null, question: view.question ?? null, unchanged, messages, texts,
    origins: view.origins.map(({ kind, index }) => [kind, index ?? null]),
    originals: Object.fromEntries(view.originals),
    dropped: keys(view.dropped, snake),
    shortened: keys(view.shortened, snake),
    report,
  };
}

async function inSession(messages, options, { ends, modified = [], cold = [], window, answer: told, settle }) {
  const session = new enfold.Session(options);
  const views = [];
  let last;
  for (const [nth, end] of ends.entries()) {
    for (const path of modified) session.markModified(path);
    last = await session.prepare(messages.slice(0, end), { cold: cold.includes(nth) });
    views.push(folded(last));
  }
  const asked = window === undefined ? undefined : session.ask(last, window);
  if (asked !== undefined && told !== undefined) {
    session.answer(asked.key, told);
    views.push(folded(await session.prepare()));
  }
  const pruning = keys(session.pruning(), snake);
  const needsPruning = session.needsPruning();
  const settled = settle ? await session.settle() : undefined;
  return {
    views,
    question: asked === undefined ? null : keys(asked, snake),
    pruning,
    needs_pruning: needsPruning,
    settled: settled === undefined ? null : folded(settled),
  };
}

async function foldedAgain(messages, options) {
  const once = await enfold.fold(messages, options);
  const again = await enfold.fold(once.messages, { ...options, name: 'again' });
  return { once: folded(once), again: folded(again) };
}

const told = async (asked) => keys(await asked, snake);

const calls = {
  fold: async (messages, options) => folded(await enfold.fold(messages, options)),
  fold_again: foldedAgain,
  session: inSession,
  convert: async (messages, options, { to }) => {
    const { messages: made, losses, text } = await enfold.convert(messages, to, options);
    return { messages: made, losses, text };
  },
  count: (messages, options) => enfold.count(messages, options),
  count_text: (_, options, { text }) => enfold.countText(text, options),
  inspect: (messages, options) => enfold.inspect(messages, options),
  validate: (messages, options) => enfold.validate(messages, options),
  ledger: (messages, options, beside) => enfold.ledger(messages, { ...options, ...named(beside) }),
  changelog: (messages, options) => told(enfold.changelog(messages, options)),
  files: (messages, options, beside) => told(enfold.files(messages, { ...options, ...named(beside) })),
  file_at: (messages, options, { path, ...at }) => told(enfold.fileAt(messages, path, { ...options, ...named(at) })),
  priorities: (messages, options) => told(enfold.priorities(messages, options)),
  pruning: (messages, options) => told(enfold.pruning(messages, options)),
  model_budget: (_, { model, ...options }, beside) => keys(enfold.modelBudget(model, { ...options, ...named(beside) }), snake),
  add_intent: (_, options, { tools, names }) => enfold.addIntent(tools, names),
  fold_text: async (_, options, { text }) => folded(await enfold.fold(text, options)),
};

/** What stands at a path: keys and places, `*` for each of a list or object. */
function found(answer, path) {
  const steps = path.split('.').filter((step) => step !== '');
  let seen = answer;
  for (let nth = 0; nth < steps.length; nth++) {
    if (steps[nth] === '*') return Object.values(seen).map((one) => found(one, steps.slice(nth + 1).join('.')));
    seen = seen[steps[nth]];
  }
  return seen;
}

module.exports = { answer, found, keys, named, snake };
