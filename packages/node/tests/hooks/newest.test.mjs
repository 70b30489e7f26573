// What an agent of the AI SDK works on: the newest turn is there with all its ids, and settling leaves the newest two turns whole.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import * as ai from 'ai';
import * as enfold from 'enfold';

const { ids, session } = createRequire(import.meta.url)('../site.js');
const format = 'ai-sdk';
const messages = session(30);
const turns = messages.flatMap(({ role }, nth) => (role === 'user' ? [nth] : []));

for (const budget of [128_000, 100_000, 90_000]) {
  test(`every id of the newest turn is in a view of ${budget} tokens, folded at once or step by step`, async () => {
    const newest = ids(messages.slice(turns.at(-1)));
    const running = new enfold.Session({ format, budget });
    for (let end = 2; end < messages.length; end += 2) await running.prepare(messages.slice(0, end));
    for (const view of [await new enfold.Session({ format, budget }).prepare(messages), await running.prepare(messages)]) {
      const shown = ids(view.messages);
      assert.deepEqual([...newest].filter((id) => !shown.has(id)), []);
    }
  });
}

// It fits these, and is folded to half of the smaller ones where settling is worth it.
for (const budget of [128_000, 100_000, 90_000]) {
  test(`after settle with a budget of ${budget} tokens the newest two turns are whole`, async () => {
    const folding = new enfold.Session({ format, budget });
    const before = await folding.prepare(messages);
    const view = (await folding.settle()) ?? before;
    for (const message of messages.slice(turns.at(-2))) assert.ok(view.messages.includes(message), JSON.stringify(message).slice(0, 200));
    assert.ok(view.messages.every((message) => ai.modelMessageSchema.safeParse(message).success));
    const errors = enfold.validateSync(view.messages, { format }).filter(({ severity }) => severity === 'error');
    assert.deepEqual(errors, []);
  });
}
