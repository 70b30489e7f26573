'use strict';
// Settings by name: what cannot be meant is refused in JavaScript's words, and what should be known is warned of.

const assert = require('node:assert/strict');
const { test } = require('node:test');

const { enfold } = require('./enfold.js');
const { chat } = require('./histories.js');

test('an unknown option is answered with what was meant', async () => {
  const meant = /^there is no option `maxFileRead`; did you mean `maxFileReads`\?$/;
  const refused = (error) => error instanceof enfold.BadOption && meant.test(error.message);
  await assert.rejects(enfold.fold(chat(2), { budget: 1_000, maxFileRead: 3 }), refused);
  assert.throws(() => new enfold.Session({ budget: 1_000, maxFileRead: 3 }), refused);
});

const wrong = [
  [{ maxFileReads: 'many' }, '`maxFileReads`: invalid type: string "many", expected a whole number'],
  [{ threshold: 'high' }, '`threshold`: invalid type: string "high", expected a number'],
  [{ threshold: 0 }, '`threshold` is 0; it is a share between 0.05 and 1'],
  [{ reserves: { out: 1 } }, '`reserves`: unknown field `out`'],
  [{ ownTools: [{ name: 'peek', does: 'reed' }] }, '`reed` is no kind of tool; did you mean `read`?'],
  [{ bashTruncate: 1_000 }, '`bashTruncate` is for `truncate_output`, which it does not use; these do: retention'],
  [{ tokenizer: 'words' }, 'tokenizer `words`: there are o200k, cl100k and heuristic'],
];

for (const [options, why] of wrong) {
  test(`a wrong value is refused by the name of its option: ${JSON.stringify(options)}`, async () => {
    await assert.rejects(enfold.fold(chat(2), { budget: 1_000, ...options }), (error) => {
      assert.ok(error instanceof enfold.BadOption && error.message.includes(why), error.message);
      return true;
    });
  });
}

/** The warnings of the process while something is done. */
async function warnings(work) {
  const heard = [];
  const hear = (warning) => heard.push(warning);
  process.on('warning', hear);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', hear);
  return heard;
}

test('an unknown model is warned of, once in a process', async () => {
  const heard = await warnings(async () => {
    await enfold.fold(chat(2), { model: 'somebodys-own' });
    new enfold.Session({ model: 'somebodys-own' });
    await enfold.count(chat(2), { model: 'somebodys-own' });
  });
  assert.deepEqual(heard.map(({ name }) => name), ['EnfoldWarning']);
  assert.match(heard[0].message, /`somebodys-own` is not in the model table .* a window of 128000 tokens is assumed/);
});

test('a model that is known or has its window said is not warned of', async () => {
  const heard = await warnings(async () => {
    await enfold.fold(chat(2), { model: 'openai/gpt-4o' });
    await enfold.fold(chat(2), { model: 'another-own', window: 32_000 });
  });
  assert.deepEqual(heard, []);
});

test('a session takes settings too', async () => {
  const own = { policy: 'prune', pruneProtect: 1_000, pruneMinimum: 500, minTurnsToKeep: 0 };
  const session = new enfold.Session({ budget: 8_000, ...own });
  const view = await session.prepare(chat(20));
  assert.ok(view.shortened.length > 0);
  assert.deepEqual([...new Set(view.shortened.map(({ fold }) => fold))], ['clear']);
  assert.ok(view.shortened.every(({ tokens, originalTokens }) => tokens < originalTokens));
});

test('a session is told of the cache with each request', () => {
  assert.throws(() => new enfold.Session({ budget: 8_000, cache: 'warm' }), /`cache` is for one fold/);
});

test('a threshold in tokens is where a session folds', async () => {
  const session = new enfold.Session({ model: 'gpt-4o', threshold: 5_000 });
  assert.ok((await session.prepare(chat(40))).tokens <= 5_000);
});

test('every function that looks has a twin that does not wait', async () => {
  const messages = chat(3);
  for (const name of ['changelog', 'files', 'priorities', 'pruning', 'needsPruning']) {
    assert.deepEqual(await enfold[name](messages), enfold[`${name}Sync`](messages), name);
  }
});
