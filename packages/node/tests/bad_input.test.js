'use strict';
// Whatever is given: a clear error that names the message, never an abort.

const assert = require('node:assert/strict');
const { test } = require('node:test');

const { enfold } = require('./enfold.js');
const { chat } = require('./histories.js');

function cycle() {
  const message = { role: 'user', content: [] };
  message.content.push(message);
  return message;
}

function deep() {
  let value = 'bottom';
  for (let nth = 0; nth < 100_000; nth++) value = [value];
  return { role: 'user', content: value };
}

const user = (content) => ({ role: 'user', content });
const BAD = {
  'a number': [5, /a message is an object, not a number/],
  'a text': ['hello', /a message is an object, not a string/],
  'null': [null, /a message is an object, not null/],
  'undefined': [undefined, /a message is an object, not undefined/],
  'a list': [[], /a message is an object, not a list/],
  'not a number': [user(NaN), /content: NaN is no JSON number/],
  'infinite': [{ role: 'user', n: [-Infinity] }, /n\[0\]: -Infinity is no JSON number/],
  'a BigInt': [user(10n ** 30n), /content: a BigInt is no JSON value/],
  'a hole': [user([, 1]), /content\[0\]: undefined is no JSON value/],
  'a function': [user(() => 1), /content: a function is no JSON value/],
  'a symbol': [user(Symbol('x')), /content: a symbol is no JSON value/],
  'bytes': [user([{ data: new Uint8Array(3) }]), /content\[0\].data: a `Uint8Array` is no JSON value; give it as base64/],
  'a Buffer': [user(Buffer.from('x')), /content: a `Buffer` is no JSON value/],
  'an ArrayBuffer': [user(new ArrayBuffer(3)), /content: a `ArrayBuffer` is no JSON value/],
  'a map': [user(new Map()), /content: a `Map` is no JSON value/],
  'a promise': [user(Promise.resolve(1)), /content: a `Promise` is no JSON value/],
  'half a pair': [user('\ud800'), /content: the text holds half of a surrogate pair/],
  'half a pair in a key': [{ role: 'user', '\udfff': 1 }, /half of a surrogate pair/],
  'a cycle': [cycle(), /deeper than 200 values, or it holds itself/],
  'deep': [deep(), /deeper than 200 values/],
  'a getter that throws': [{ get role() { throw new RangeError('mine'); } }, /reading it failed: mine/],
};

for (const [name, [message, why]] of Object.entries(BAD)) {
  test(`${name} is refused by name`, async () => {
    const messages = [...chat(1), message];
    const refused = { name: 'BadInput', code: 'bad_input', messageIndex: 3, message: why };
    await assert.rejects(enfold.fold(messages, { budget: 5_000 }), refused);
    assert.throws(() => enfold.foldSync(messages, { budget: 5_000 }), refused);
    await assert.rejects(new enfold.Session({ budget: 5_000 }).prepare(messages), refused);
    await assert.rejects(enfold.count(messages), refused);
  });
}

for (const given of [null, undefined, 5, { role: 'user' }, Symbol('x')]) {
  test(`what is no list is a TypeError: ${String(given)}`, async () => {
    await assert.rejects(enfold.fold(given, { budget: 5_000 }), TypeError);
  });
}

test('a session is as good as before after an error', async () => {
  const session = new enfold.Session({ budget: 8_000 });
  const view = await session.prepare(chat(10));
  await assert.rejects(session.prepare([...chat(10), 5]), enfold.BadInput);
  assert.throws(() => session.push({ role: NaN }), enfold.BadInput);
  assert.deepEqual((await session.prepare(chat(10))).texts, view.texts);
  assert.equal(session.length, 21);
});

test('a request that cannot fit leaves a session that goes on', async () => {
  const session = new enfold.Session({ budget: 3_000 });
  const huge = { role: 'user', content: 'words and more words '.repeat(3_000) };
  await session.prepare(chat(1));
  await assert.rejects(session.prepare([huge, ...chat(2)]), enfold.CannotFit);
  const view = await session.prepare(chat(3));
  assert.equal(view.tokens <= 3_000 && session.length, 7);
});

test('texts are written as they are', async () => {
  const message = { role: 'user', content: 'a"b\\c\n\t\x00\x1f\x7f é 中 😀 \u2028 /' };
  const view = await enfold.fold([message], { budget: 500 });
  assert.deepEqual(view.texts, ['{"role":"user","content":"a\\"b\\\\c\\n\\t\\u0000\\u001f\x7f é 中 😀 \u2028 /"}']);
});

test('numbers, dates and what is not said are written as JSON.stringify writes them', async () => {
  const message = { role: 'user', content: 'x', n: [2 ** 70, -0, 1e-7, true, null], at: new Date(0), not: undefined };
  const view = await enfold.fold([message], { budget: 500 });
  assert.deepEqual(view.texts, [JSON.stringify(message)]);
  assert.equal(view.messages[0], message);
});

test('a list that changes while a call runs is the list it was', async () => {
  const messages = chat(30);
  const session = new enfold.Session({ budget: 8_000 });
  const running = [session.prepare(messages), enfold.fold(messages, { budget: 8_000 })];
  messages.length = 3;
  messages[2] = { role: 'user', content: NaN };
  for (const view of await Promise.all(running)) assert.ok(view.tokens <= 8_000);
  assert.equal(session.length, 61);
});

test('rubbish as a whole session is refused', async () => {
  for (const rubbish of ['', 'not json', Buffer.from([0xff, 0xfe]), '{', '[1,2']) {
    await assert.rejects(enfold.fold(rubbish, { budget: 500 }), enfold.BadInput);
  }
});

test('an iterator that fails says its own error', async () => {
  function* messages() {
    yield chat(0)[0];
    throw new RangeError('the host’s own');
  }
  await assert.rejects(enfold.fold(messages(), { budget: 500 }), RangeError);
});

test('a number of tokens that is none is refused', async () => {
  const session = new enfold.Session({ budget: 8_000 });
  for (const none of [-1, NaN, 1.5, '5', 2 ** 40]) assert.throws(() => session.report(none), enfold.BadOption);
  assert.throws(() => session.overflowed(-3), enfold.BadOption);
  await assert.rejects(enfold.ledger(chat(1), { tokens: -1 }), enfold.BadOption);
});
