'use strict';
// Tools that return objects: the small one of `hooks/structured.test.mjs`, without the AI SDK.

const assert = require('node:assert/strict');
const { test } = require('node:test');

const { enfold } = require('./enfold.js');
const { session } = require('./site.js');

test('a session of objects stays one: valid views whose results are objects and lists, call by call', () => {
  const messages = session(30);
  const format = 'ai-sdk';
  assert.ok(enfold.countSync(messages, { format }) >= 80_000);
  const kinds = new Map(messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool-result').map((part) => [part.toolCallId, part]));
  const running = new enfold.Session({ format, budget: 24_000 });
  for (let end = 2; end <= messages.length; end += 3) {
    const { messages: sent, tokens } = running.prepareSync(messages.slice(0, end));
    assert.ok(tokens <= 24_000);
    assert.deepEqual(enfold.validateSync(sent, { format }).filter(({ severity }) => severity === 'error'), []);
    const results = sent.filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
    for (const { toolCallId, output } of results.filter(({ output }) => output.type === 'json')) {
      assert.equal(Array.isArray(output.value), Array.isArray(kinds.get(toolCallId).output.value));
    }
    assert.ok(results.length > 0 || end < 4);
  }
});
