'use strict';
// `persistResult`: a function of the host's that keeps originals, also one that takes its time; and the clock of a stored session.

const assert = require('node:assert/strict');
const { mkdtempSync } = require('node:fs');
const { writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { test } = require('node:test');

const { enfold } = require('./enfold.js');

const RESULT = Array.from({ length: 400 }, (_, line) => `src/file.rs:${line}: unused value_${line}`).join('\n');

/** So many commands, each with a long output of its own. */
function commands(count) {
  const messages = [{ role: 'user', content: 'Make the tests pass.' }];
  for (let nth = 0; nth < count; nth++) {
    const call = { id: `c${nth}`, type: 'function', function: { name: 'Bash', arguments: `{"command":"make ${nth}"}` } };
    messages.push({ role: 'assistant', content: null, tool_calls: [call] });
    messages.push({ role: 'tool', tool_call_id: `c${nth}`, content: `${nth}\n${RESULT}` });
  }
  return messages;
}

/** Keeps after a while, and notes what it was given. */
function keeper() {
  const kept = [];
  const persistResult = async (content, from) => {
    const nth = kept.push({ content, ...from });
    await new Promise((resolve) => setImmediate(resolve));
    return `/results/${nth}.txt`;
  };
  return { kept, persistResult };
}

const shown = ({ messages }) => JSON.stringify(messages);
const options = { policy: 'microcompact', budget: 60_000 };

test('fold waits for it: the text, its tool, its category and its place, and the view names the path', async () => {
  const { kept, persistResult } = keeper();
  const messages = commands(20);
  const view = await enfold.fold(messages, { ...options, persistResult });
  assert.ok(kept.length > 3);
  for (const { content, toolName, category, messageIndex } of kept) {
    assert.deepEqual([toolName, category, messages[messageIndex].content], ['Bash', 'non-reproducible', content]);
  }
  assert.match(shown(view), /full text: \/results\/1\.txt/);
});

test('a session asks once for each, and the same view comes again', async () => {
  const { kept, persistResult } = keeper();
  const session = new enfold.Session({ ...options, persistResult });
  const messages = commands(20);
  const first = await session.prepare(messages, { cold: true });
  const asked = kept.length;
  assert.ok(asked > 3 && shown(first).includes('/results/1.txt'));
  const second = await session.prepare([...messages, { role: 'user', content: 'And now?' }]);
  assert.equal(kept.length, asked);
  assert.ok(shown(second).startsWith(shown(first).slice(0, -1)));
});

test('a stored session asks too', async () => {
  const { kept, persistResult } = keeper();
  const path = `${mkdtempSync(`${tmpdir()}/enfold-`)}/sessions.db`;
  const session = await enfold.StoredSession.open(path, 's', { ...options, format: 'openai-chat', persistResult });
  const view = await session.prepare(commands(20));
  assert.ok(kept.length > 3 && shown(view).includes('/results/1.txt'));
});

test('one that keeps nothing, or throws, leaves the handle alone', async () => {
  const warned = new Promise((resolve) => process.once('warning', resolve));
  const plain = await enfold.fold(commands(20), options);
  const nothing = await enfold.fold(commands(20), { ...options, persistResult: () => undefined });
  const failing = await enfold.fold(commands(20), { ...options, persistResult: () => { throw new Error('the disk is full'); } });
  for (const view of [nothing, failing]) assert.ok(!shown(view).includes('full text') && /tokens trimmed #\d{9}/.test(shown(view)));
  assert.match((await warned).message, /the disk is full/);
  assert.equal(plain.originals.size > 3, true);
});

test('what folds here and now refuses it, and what is no function is told', () => {
  const { persistResult } = keeper();
  assert.throws(() => enfold.foldSync(commands(2), { ...options, persistResult }), { name: 'BadOption', message: /call fold and await it/ });
  const session = new enfold.Session({ ...options, persistResult });
  assert.throws(() => session.prepareSync(commands(2)), { name: 'BadOption', message: /call prepare/ });
  assert.throws(() => new enfold.Session({ ...options, persistResult: '/results' }), { name: 'BadOption', message: /expected a function, not a string/ });
});

test('a stored session tells by the host’s clock when the cache is cold', async () => {
  let now = Date.UTC(2026, 0, 1);
  const path = `${mkdtempSync(`${tmpdir()}/enfold-`)}/sessions.db`;
  const about = { ...options, budget: 200_000, format: 'openai-chat', cacheSeconds: 300, now: () => now };
  const session = await enfold.StoredSession.open(path, 's', about);
  const messages = commands(20);
  assert.equal((await session.prepare(messages.slice(0, 3))).opened, undefined);
  now += 299_000;
  assert.equal((await session.prepare(messages.slice(0, -2))).opened, undefined, 'large, and the cache is warm');
  now += 301_000;
  assert.equal((await session.prepare(messages)).opened, 'cold');
});

test('how long a provider keeps a request is known of the model, or said', () => {
  assert.equal(new enfold.Session({ budget: 5 }).cacheSeconds, 300);
  assert.equal(new enfold.Session({ budget: 5, cacheSeconds: 3_600 }).cacheSeconds, 3_600);
});

test('many may wait at once for a function that needs the threads they wait on', async () => {
  const folder = mkdtempSync(`${tmpdir()}/enfold-`);
  const persistResult = async (content, { messageIndex }) => {
    await writeFile(`${folder}/${messageIndex}.txt`, content);
    return `${folder}/${messageIndex}.txt`;
  };
  const folds = Array.from({ length: 8 }, () => enfold.fold(commands(20), { ...options, persistResult }));
  const sessions = Array.from({ length: 8 }, () => new enfold.Session({ ...options, persistResult }).prepare(commands(20), { cold: true }));
  for (const view of await Promise.all([...folds, ...sessions])) assert.ok(shown(view).includes(`full text: ${folder}/`));
});
