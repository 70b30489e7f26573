// OpenAI Agents itself, with its own scripted model.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Agent, MemorySession, Runner, setTracingDisabled, tool } from '@openai/agents';
import { ScriptedModel, assistantMessage, functionCall, modelError } from '@openai/agents/testing';
import * as enfold from 'enfold';
import { foldModel } from 'enfold/openai-agents';

setTracingDisabled(true);

const file = (path) => Array.from({ length: 60 }, (_, line) => `${path}:${line}: unused value_${line}\n`).join('');
const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false };
const read = tool({ name: 'read', description: 'Reads a file.', parameters, strict: true, execute: async ({ path }) => file(path) });
const calls = (count) => Array.from({ length: count }, (_, n) => [functionCall('read', { path: `f${n}` }, { callId: `c${n}` })]);
const sizes = (items) => items.filter(({ type }) => type === 'function_call_result').map(({ output }) => (output.text ?? output).length);

async function run(steps, options) {
  const scripted = new ScriptedModel([...steps, [assistantMessage('done')]]);
  const agent = new Agent({ name: 'a', instructions: 'Be brief.', model: foldModel(scripted, options), tools: [read] });
  const session = new MemorySession();
  await new Runner({ tracingDisabled: true }).run(agent, 'go', { session, maxTurns: 99 });
  return { items: await session.getItems(), inputs: scripted.calls.map((call) => (call.request ?? call).input) };
}

test('the model sees what fits, and the session is whole', async () => {
  const { inputs, items } = await run(calls(20), { budget: 8_000 });
  assert.equal(inputs.length, 21);
  assert.ok(sizes(inputs.at(-1)).some((size) => size < file('f0').length));
  assert.equal(items.length, 42);
  assert.ok(sizes(items).every((size) => size >= file('f0').length));
});

test('items that no fold touches are the run’s own', async () => {
  const { inputs } = await run(calls(3), { budget: 50_000 });
  assert.deepEqual(sizes(inputs.at(-1)), Array(3).fill(file('f0').length));
});

test('what is too long is folded harder and tried once more', async () => {
  const overflow = Object.assign(new Error('This model’s maximum context length is 5 tokens'), { status: 400, code: 'context_length_exceeded' });
  const { inputs } = await run([...calls(12), modelError(overflow)], { budget: 8_000 });
  const total = (items) => sizes(items).reduce((sum, size) => sum + size, 0);
  assert.ok(total(inputs.at(-1)) < total(inputs.at(-2)));
});

test('another error is the caller’s', async () => {
  await assert.rejects(run([modelError(new RangeError('mine'))], { budget: 8_000 }), /mine/);
});

test('with a conversation of the server’s there is nothing to fold', async () => {
  const seen = [];
  const inner = { getResponse: async (request) => seen.push(request), async *getStreamedResponse(request) { seen.push(request); } };
  const model = foldModel(inner, { budget: 8_000 });
  const request = { input: [{ role: 'user', content: 'go' }], previousResponseId: 'r', tools: [], modelSettings: {} };
  await model.getResponse(request);
  for await (const _ of model.getStreamedResponse({ ...request, input: 'go' })) assert.fail();
  assert.equal(seen[0], request);
  assert.equal(seen.length, 2);
});

test('streams are folded, and what is too long is tried once more before anything was told', async () => {
  const inputs = [];
  const inner = {
    async *getStreamedResponse({ input }) {
      inputs.push(input);
      if (inputs.length === 1) throw Object.assign(new Error('too long'), { code: 'context_length_exceeded', status: 400 });
      yield { type: 'response_done' };
    },
  };
  const items = [{ role: 'user', content: 'go' }];
  for (let n = 0; n < 20; n++) {
    items.push({ type: 'function_call', callId: `c${n}`, name: 'read', arguments: '{}', status: 'completed' });
    items.push({ type: 'function_call_result', callId: `c${n}`, name: 'read', status: 'completed', output: { type: 'text', text: file(`f${n}`) } });
  }
  const events = [];
  for await (const event of foldModel(inner, { budget: 8_000 }).getStreamedResponse({ input: items, tools: [] })) events.push(event);
  assert.equal(events.length, 1);
  assert.equal(inputs.length, 2);
  assert.ok(inputs[0][0] === items[0] && sizes(inputs[1]).length <= sizes(inputs[0]).length);
  assert.ok(enfold.countText(JSON.stringify(inputs[1])) < enfold.countText(JSON.stringify(inputs[0])));
});
