// Mastra's own agent with the AI SDK's fake model.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Agent } from '@mastra/core/agent';
import * as enfoldPackage from 'enfold';
import { enfoldProcessor } from 'enfold/mastra';

import { file, read, scripted, sizes } from './scripted.mjs';

const WHOLE = file('src/module_0.py').length;

function agentOf(model, processor) {
  const processors = { inputProcessors: [processor], errorProcessors: [processor] };
  return new Agent({ id: 'a', name: 'a', instructions: 'Be brief.', model, tools: { read }, maxRetries: 0, ...processors });
}

test('an agent of forty steps fits, and what it remembers is whole', async () => {
  const { model, prompts } = scripted(40, { window: 8_000 });
  const starts = [];
  const onEvent = ({ type }) => type === 'compaction:start' && starts.push(prompts.length);
  const result = await agentOf(model, enfoldProcessor({ budget: 8_000, onEvent })).generate('Read all modules.', { maxSteps: 100 });
  assert.equal(result.text, 'Done.');
  assert.equal(prompts.length, 41);
  assert.ok(sizes(prompts.at(-1)).some((size) => size < WHOLE), 'what the model sees is folded');
  const changed = prompts.flatMap((prompt, nth) => {
    const before = nth === 0 ? [] : prompts[nth - 1];
    return before.every((message, at) => JSON.stringify(message) === JSON.stringify(prompt[at])) ? [] : [nth];
  });
  assert.deepEqual(changed, starts, 'the prefix changes only where an epoch opens');
  assert.ok(starts.length > 1 && starts.length < 10, `${starts.length} epochs`);
  const kept = result.steps.flatMap(({ toolResults }) => toolResults.map(({ payload }) => payload.result.length));
  assert.deepEqual(kept.length, 40);
  assert.ok(kept.every((size) => size >= WHOLE));
});

test('streams are folded too', async () => {
  const { model, prompts } = scripted(20, { window: 8_000 });
  const stream = await agentOf(model, enfoldProcessor({ budget: 8_000 })).stream('Read all modules.', { maxSteps: 100 });
  assert.equal(await stream.text, 'Done.');
  assert.equal(prompts.length, 21);
});

test('what is too long for the provider is folded harder and tried once more', async () => {
  let refused = 0;
  const refuse = (prompt) => {
    const tokens = enfoldPackage.countSync(prompt, { format: 'ai-sdk' });
    if (refused > 0 || tokens < 5_000) return;
    refused += 1;
    throw Object.assign(new Error(`prompt is too long: ${tokens} tokens > 5000 maximum`), { statusCode: 400 });
  };
  const { model, prompts } = scripted(20, { refuse });
  const result = await agentOf(model, enfoldProcessor({ budget: 8_000 })).generate('Read all modules.', { maxSteps: 100 });
  assert.equal(result.text, 'Done.');
  assert.deepEqual([refused, prompts.length], [1, 21]);
});

test('another error, and a second refusal, are the caller’s', async () => {
  const processor = enfoldProcessor({ budget: 8_000 });
  let asked = 0;
  const refusing = (error) => scripted(3, { refuse: () => { asked += 1; throw error; } }).model;
  await assert.rejects(agentOf(refusing(new RangeError('mine')), processor).generate('go'), /mine/);
  assert.equal(asked, 1);
  const tooLong = Object.assign(new Error('prompt is too long'), { statusCode: 400 });
  await assert.rejects(agentOf(refusing(tooLong), processor).generate('go'), /too long/);
  assert.equal(asked, 3);
});

test('a fold can be opened', async () => {
  const { model, prompts } = scripted(30);
  const processor = enfoldProcessor({ budget: 8_000 });
  await agentOf(model, processor).generate('Read all modules.', { maxSteps: 100 });
  const handle = JSON.stringify(prompts.at(-1)).match(/#\d{9}/)[0];
  assert.ok((await processor.recall(handle)).length > 0);
});
