'use strict';
// Folding once, and looking without folding.

const assert = require('node:assert/strict');
const { test } = require('node:test');

const { enfold } = require('./enfold.js');
const { anthropic, chat } = require('./histories.js');

test('a list that fits comes back as the same objects', async () => {
  const messages = chat(2);
  const view = await enfold.fold(messages, { budget: '8k' });
  assert.deepEqual(view.messages.map((message, nth) => message === messages[nth]), messages.map(() => true));
  assert.deepEqual(view.texts, messages.map((message) => JSON.stringify(message)));
  assert.equal(view.originals.size, 0);
});

test('a list that does not fit is folded, valid, and says where each message comes from', async () => {
  const messages = chat(40);
  const before = JSON.stringify(messages);
  const view = await enfold.fold(messages, { budget: 8_000 });
  assert.ok(view.tokens <= 8_000);
  assert.deepEqual(await enfold.validate(view.messages, { format: 'openai-chat' }), []);
  view.origins.forEach(({ kind, index }, nth) => {
    assert.equal(kind === 'same', view.messages[nth] === messages[index]);
    assert.deepEqual(view.messages[nth], JSON.parse(view.texts[nth]));
  });
  assert.ok(view.origins.some(({ kind }) => kind === 'changed'));
  assert.ok(view.originals.size > 0);
  assert.ok(view.trace.passes.some(({ folds }) => folds.length > 0));
  assert.equal(JSON.stringify(messages), before, 'the list is left alone');
});

test('the twin that does not wait gives the same', async () => {
  const [messages, options] = [chat(40), { budget: '8k', name: 'x' }];
  assert.deepEqual(enfold.foldSync(messages, options).texts, (await enfold.fold(messages, options)).texts);
});

test('a whole session goes in as text or bytes', async () => {
  const text = chat(40).map((message) => JSON.stringify(message)).join('\n');
  const [one, other] = [await enfold.fold(text, { budget: '8k' }), enfold.foldSync(Buffer.from(text), { budget: '8k' })];
  assert.deepEqual(one.texts, other.texts);
  assert.equal(one.messages[0].role, 'user');
});

test('the system prompt and the tools are counted', async () => {
  const tools = [{ name: 'bash', description: 'Runs a command.', input_schema: { type: 'object' } }];
  const plain = await enfold.fold(anthropic(2), { budget: '8k' });
  const view = await enfold.fold(anthropic(2), { budget: '8k', system: 'Be brief.', tools });
  assert.equal(view.system, 'Be brief.');
  assert.ok(view.tokens > plain.tokens);
});

test('looking', async () => {
  const messages = chat(5);
  assert.equal(await enfold.count(messages), (await enfold.inspect(messages)).totals.tokens);
  assert.equal(enfold.countSync(messages), enfold.inspectSync(messages).totals.tokens);
  assert.deepEqual(await enfold.validate(messages), enfold.validateSync(messages));
  assert.equal((await enfold.convert(messages, 'anthropic')).messages[1].content[0].type, 'tool_use');
  assert.deepEqual(enfold.convertSync(messages, 'notation').messages, []);
  assert.match((await enfold.ledger(messages, { tokens: 200 })).text, /Make the tests pass/);
  assert.equal(enfold.ledgerSync(messages).text.length > 0, true);
  assert.equal(enfold.countText('hello world'), 2);
});

test('a wrong option is named', async () => {
  await assert.rejects(enfold.fold(chat(1), {}), { name: 'BadOption', message: /neither a budget nor a model/ });
  await assert.rejects(enfold.fold(chat(1), { budgte: 5 }), { code: 'bad_option', message: /budgte/ });
  await assert.rejects(enfold.fold(chat(1), { budget: NaN }), { name: 'BadOption', message: /budget: NaN/ });
  assert.throws(() => new enfold.Session({ budget: '8k', policy: 'nonsense' }), enfold.BadOption);
  assert.throws(() => new enfold.Session(5), enfold.BadOption);
});

test('what must stay and does not fit is an error that says how much it needs', async () => {
  const messages = [{ role: 'user', content: 'words '.repeat(5_000) }];
  await assert.rejects(enfold.fold(messages, { budget: 100 }), { name: 'CannotFit', code: 'cannot_fit' });
});
