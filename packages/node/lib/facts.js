'use strict';
// What is known of a session without folding it. Each function has a twin that does it here and now.

const native = require('./native.js');
const { calling, waiting } = require('./errors.js');
const { atOnce, given, inSlices } = require('./list.js');
const { camelKeys, snake } = require('./names.js');
const { options, value, whole } = require('./written.js');

/** A function that asks, and its twin. `own` are the names of the question's own arguments; the rest of `how` are options. */
function asking(what, own, read = camelKeys) {
  const asked = (how) => {
    const all = Object.entries(how ?? {});
    const mine = all.filter(([name, value]) => own.includes(name) && value !== undefined && value !== null);
    const rest = all.filter(([name]) => !own.includes(name));
    const numbers = mine.map(([name, said]) => [snake(name), name === 'path' ? String(said) : whole(name, said)]);
    return [value(Object.fromEntries(numbers)), options(Object.fromEntries(rest))];
  };
  const later = async (messages, how) => {
    const [mine, said] = asked(how);
    const { texts } = await inSlices(given(messages));
    return read(JSON.parse(await waiting(() => native.facts(what, mine, texts, said))));
  };
  const now = (messages, how) => {
    const [mine, said] = asked(how);
    const { texts } = atOnce(given(messages));
    return read(JSON.parse(calling(() => native.factsSync(what, mine, texts, said))));
  };
  return [later, now];
}

const [changelog, changelogSync] = asking('changelog', []);
const [files, filesSync] = asking('files', ['maxAge', 'preview']);
const [priorities, prioritiesSync] = asking('priorities', []);
const [pruning, pruningSync] = asking('pruning', []);
const [needsPruning, needsPruningSync] = asking('pruning', [], (seen) => seen.is_worth_it);
const [stateAt, stateAtSync] = asking('file_at', ['path', 'turn', 'step']);

async function fileAt(messages, path, how) {
  return stateAt(messages, { ...how, path });
}

function fileAtSync(messages, path, how) {
  return stateAtSync(messages, { ...how, path });
}

function modelBudget(model, { tokens, ...how } = {}) {
  const said = options({ ...how, model });
  return camelKeys(JSON.parse(calling(() => native.modelBudget(said, tokens && whole('tokens', tokens)))));
}

function addIntent(tools, names = []) {
  const written = value(tools);
  return JSON.parse(calling(() => native.addIntent(written, [names].flat())));
}

module.exports = {
  addIntent, changelog, changelogSync, fileAt, fileAtSync, files, filesSync, modelBudget, needsPruning, needsPruningSync,
  priorities, prioritiesSync, pruning, pruningSync,
};
