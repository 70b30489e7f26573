'use strict';
// Sessions in memory and in a database.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');

const { enfold } = require('./enfold.js');
const { anthropic, chat } = require('./histories.js');

const database = () => path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'enfold-')), 'sessions.db');

test('views fit, and within an epoch they only grow', async () => {
  const messages = chat(60);
  const session = new enfold.Session({ budget: 8_000 });
  let before = [];
  for (let end = 1; end <= messages.length; end += 2) {
    const view = await session.prepare(messages.slice(0, end));
    assert.ok(view.tokens <= 8_000);
    assert.deepEqual(view.texts.slice(0, view.unchanged), before.slice(0, view.unchanged));
    if (view.opened === undefined) assert.equal(view.unchanged, before.length);
    assert.deepEqual(view.messages, view.texts.map((text) => JSON.parse(text)));
    before = view.texts;
  }
  assert.ok(session.epoch > 1);
  assert.equal(session.length, messages.length);
});

test('a list that comes again as equal objects is the same list', async () => {
  const messages = chat(40);
  const [kept, reloaded] = [new enfold.Session({ budget: 8_000 }), new enfold.Session({ budget: 8_000 })];
  for (let end = 1; end <= messages.length; end += 2) {
    const one = await kept.prepare(messages.slice(0, end));
    const other = reloaded.prepareSync(structuredClone(messages.slice(0, end)));
    assert.deepEqual([one.texts, one.epoch, one.unchanged], [other.texts, other.epoch, other.unchanged]);
  }
  assert.ok(kept.epoch > 0);
});

test('an object changed in place is noticed', async () => {
  const messages = chat(5);
  const session = new enfold.Session({ budget: 50_000 });
  await session.prepare(messages);
  messages[4].content = 'changed';
  const view = await session.prepare(messages);
  assert.deepEqual([view.opened, view.unchanged], ['rewritten', 4]);
  assert.match(view.texts[4], /"changed"/);
  messages[3].tool_calls[0].function.name = 'sh';
  assert.equal((await session.prepare(messages)).unchanged, 3);
  messages[2].extra = undefined;
  assert.equal((await session.prepare(messages)).opened, undefined, 'what is not said changes nothing');
});

test('a changed view does not change the next one', async () => {
  const messages = chat(40).slice(0, -2);
  const session = new enfold.Session({ budget: 8_000 });
  const view = await session.prepare(messages);
  const texts = view.texts;
  view.origins.forEach(({ kind }, nth) => {
    if (kind !== 'same') view.messages[nth].content = 'spoiled';
  });
  const again = await session.prepare(messages);
  assert.deepEqual(again.texts, texts);
  assert.ok(!again.messages.some(({ content }) => content === 'spoiled'));
});

test('objects made for a view serve the next one again', async () => {
  const messages = chat(40);
  const session = new enfold.Session({ budget: 8_000 });
  const view = await session.prepare(messages.slice(0, -2));
  const next = await session.prepare(messages);
  assert.equal(next.opened, undefined);
  assert.ok(view.messages.every((message, nth) => message === next.messages[nth]));
});

test('pushing is syncing', async () => {
  const messages = chat(30);
  const [pushed, synced] = [new enfold.Session({ budget: 8_000 }), new enfold.Session({ budget: 8_000 })];
  for (const message of messages) pushed.push(message);
  assert.equal(synced.sync(messages), true);
  const view = await pushed.prepare();
  assert.deepEqual(view.texts, synced.prepareSync().texts);
  assert.equal(view.messages[0], messages[0]);
  assert.deepEqual((await pushed.prepare(messages)).texts, view.texts);
});

test('calls that do not wait are done one after the other', async () => {
  const messages = chat(40);
  const session = new enfold.Session({ budget: 8_000 });
  const ends = [11, 31, 5, 81, 80];
  const running = ends.map((end) => session.prepare(messages.slice(0, end)));
  assert.throws(() => session.push(messages[0]), enfold.Reentered);
  for (const view of await Promise.all(running)) assert.ok(view.tokens <= 8_000);
  assert.equal(session.length, 80);
});

test('many sessions at once', async () => {
  const messages = chat(40);
  const views = Array.from({ length: 16 }, () => new enfold.Session({ budget: 8_000 }).prepare(messages));
  const texts = (await Promise.all(views)).map((view) => view.texts.join());
  assert.equal(new Set(texts).size, 1);
});

test('recall, overflow, settle, checkpoint', async () => {
  const messages = chat(40);
  const session = new enfold.Session({ budget: 20_000, format: 'openai-chat' });
  const view = await session.prepare(messages);
  const [handle, original] = [...view.originals][0];
  assert.equal(session.recall(handle), original);
  assert.equal(session.recall('#000000000'), undefined);
  assert.throws(() => session.recall('nonsense'), enfold.BadOption);
  session.overflowed();
  const harder = await session.prepare(messages);
  assert.ok(harder.tokens < view.tokens * 0.8, `${harder.tokens} after ${view.tokens}`);
  const other = new enfold.Session({ budget: 20_000, format: 'openai-chat' });
  other.sync(messages);
  other.reopen(session.checkpoint());
  assert.deepEqual((await other.prepare()).texts, harder.texts);
  assert.equal(await session.settle(), session.settleSync());
});

test('a question is asked and answered, and the next view tells it', async () => {
  const session = new enfold.Session({ budget: 8_000, policy: 'summarize', asks: true, format: 'openai-chat' });
  const messages = chat(30);
  const view = await session.prepare(messages);
  const question = session.ask(view);
  assert.equal(question.key, view.question);
  assert.ok(question.user.length > 0 && question.maxTokens > 0);
  assert.throws(() => session.answer(question.key, 'no'), enfold.BadInput);
});

test('what stands beside the messages is counted', async () => {
  const session = new enfold.Session({ budget: 8_000, format: 'anthropic' });
  const plain = await session.prepare(anthropic(2));
  session.surround({ system: 'Be brief.', tools: [{ name: 'bash', input_schema: { type: 'object' } }] });
  const view = await session.prepare(anthropic(2));
  assert.ok(view.tokens > plain.tokens);
  assert.equal(view.system, 'Be brief.');
});

test('a stored session survives, tells its events in order, and opens every fold', async () => {
  const [file, messages, events] = [database(), chat(40), []];
  const options = { budget: 8_000, format: 'openai-chat', onEvent: ({ type }) => events.push(type) };
  const session = await enfold.StoredSession.open(file, 'build', options);
  const view = await session.prepare(messages);
  assert.equal(events[0], 'compaction:start');
  assert.equal(events.at(-1), 'compaction:complete');
  assert.equal(view.messages[0], messages[0]);

  const again = await enfold.StoredSession.open(file, 'build', { budget: 8_000 });
  assert.equal(again.length, messages.length);
  assert.deepEqual((await again.prepare()).texts, view.texts);
  const [handle, original] = [...view.originals][0];
  assert.equal(await again.recall(handle), original);
  assert.ok((await again.search('unused value_3_7')).length > 0);
  await again.push({ role: 'user', content: 'Go on.' });
  assert.equal((await again.prepare()).messages.at(-1).content, 'Go on.');
  await again.report({ inputTokens: 9_000, outputTokens: 10 });
});

test('a stored session settles when the work ends, also by an error', async () => {
  const session = await enfold.StoredSession.open(database(), 's', { budget: 100_000, format: 'openai-chat', policy: 'prune' });
  let settled = 0;
  const settle = session.settle.bind(session);
  session.settle = () => settle(settled++);
  await assert.rejects(session.work(async () => { throw new RangeError('mine'); }), RangeError);
  assert.equal(await session.work(async () => 7), 7);
  assert.equal(settled, 2);
});

test('a listener that throws does not stop the session', async () => {
  const onEvent = () => { throw new Error('mine'); };
  const session = await enfold.StoredSession.open(database(), 's', { budget: 8_000, format: 'openai-chat', onEvent });
  const warned = new Promise((resolve) => process.once('warning', resolve));
  assert.ok((await session.prepare(chat(40))).tokens <= 8_000);
  assert.match((await warned).message, /listener failed: mine/);
});

test('a session that is not there needs its format; a database that is none is a store error', async () => {
  await assert.rejects(enfold.StoredSession.open(database(), 's', { budget: 8_000 }), enfold.BadOption);
  const folder = path.dirname(database());
  await assert.rejects(enfold.StoredSession.open(folder, 's', { budget: 8_000, format: 'anthropic' }), enfold.StoreError);
  assert.throws(() => new enfold.StoredSession(), /is opened/);
});
