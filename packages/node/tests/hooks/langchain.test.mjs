// LangChain itself, with a scripted model.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { MemorySaver } from '@langchain/langgraph';
import { AIMessage, createAgent, tool } from 'langchain';
import { enfoldMiddleware } from 'enfold/langchain';

const file = (path) => Array.from({ length: 60 }, (_, line) => `${path}:${line}: unused value_${line}\n`).join('');
const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const read = tool(async ({ path }) => file(path), { name: 'read', description: 'Reads a file.', schema });

/** Reads file after file, then says that it is done. */
class Script extends BaseChatModel {
  requests = [];
  refusals = [];

  constructor(steps) {
    super({});
    this.steps = steps;
  }

  _llmType() {
    return 'script';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    this.requests.push(messages);
    const refusal = this.refusals.pop();
    if (refusal !== undefined) throw refusal;
    const n = messages.some((message) => message.getType() === 'ai') ? this.done + 1 : 0;
    this.done = n;
    const call = { name: 'read', args: { path: `f${n}` }, id: `c${n}` };
    const message = new AIMessage(n < this.steps ? { content: '', tool_calls: [call] } : 'done');
    return { generations: [{ text: '', message }] };
  }
}

const sizes = (messages) => messages.filter((message) => message.getType() === 'tool').map(({ content }) => content.length);
const human = (content) => ({ messages: [{ role: 'user', content }] });
const texts = (messages) => messages.map(({ content, tool_calls }) => JSON.stringify([content, tool_calls]));

test('the model sees what fits, and the state is whole', async () => {
  const model = new Script(30);
  const agent = createAgent({ model, tools: [read], systemPrompt: 'Be brief.', middleware: [enfoldMiddleware({ budget: 8_000 })] });
  const state = await agent.invoke(human('go'), { recursionLimit: 200 });
  assert.equal(model.requests.length, 31);
  assert.equal(state.messages.length, 62);
  assert.ok(sizes(state.messages).every((size) => size >= file('f0').length));
  assert.ok(sizes(model.requests.at(-1)).some((size) => size < file('f0').length));
  for (const request of model.requests) {
    assert.equal(request.filter((message) => message.getType() === 'system').length, 1);
    assert.equal(request[0].text, 'Be brief.');
    const calls = request.flatMap((message) => message.tool_calls?.map(({ id }) => id) ?? []);
    assert.deepEqual(calls, request.filter((message) => message.getType() === 'tool').map((message) => message.tool_call_id));
  }
});

test('within an epoch a request is the one before plus new messages', async () => {
  const model = new Script(40);
  const starts = [];
  const onEvent = ({ type }) => type === 'compaction:start' && starts.push(model.requests.length);
  const agent = createAgent({ model, tools: [read], middleware: [enfoldMiddleware({ budget: 8_000, onEvent })] });
  await agent.invoke(human('go'), { recursionLimit: 200 });
  const changed = model.requests.flatMap((request, nth) => {
    const before = nth === 0 ? [] : texts(model.requests[nth - 1]);
    return before.every((text, at) => text === texts(request)[at]) ? [] : [nth];
  });
  assert.deepEqual(changed, starts);
  assert.ok(starts.length > 1);
});

test('a thread that is reloaded goes on with the same bytes', async () => {
  const checkpointer = new MemorySaver();
  const model = new Script(20);
  const folding = enfoldMiddleware({ budget: 8_000 });
  const agent = createAgent({ model, tools: [read], checkpointer, middleware: [folding] });
  const config = { configurable: { thread_id: 't' }, recursionLimit: 200 };
  await agent.invoke(human('go'), config);
  const before = texts(model.requests.at(-1));
  await agent.invoke(human('and?'), config);
  assert.deepEqual(texts(model.requests.at(-1)).slice(0, before.length), before);
});

test('what is too long is folded harder and tried once more', async () => {
  const model = new Script(12);
  const agent = createAgent({ model, tools: [read], middleware: [enfoldMiddleware({ budget: 8_000 })] });
  const { messages } = await agent.invoke(human('go'), { recursionLimit: 200 });
  model.refusals = [Object.assign(new Error('too long'), { name: 'ContextOverflowError' })];
  await agent.invoke({ messages }, { recursionLimit: 200 });
  const [refused, harder] = model.requests.slice(-2).map((request) => sizes(request).reduce((sum, size) => sum + size, 0));
  assert.ok(harder < refused, `${harder} after ${refused}`);
});

test('another error is the caller’s', async () => {
  const model = new Script(2);
  model.refusals = [new RangeError('mine')];
  const agent = createAgent({ model, tools: [read], middleware: [enfoldMiddleware({ budget: 8_000 })] });
  await assert.rejects(agent.invoke(human('go')), /mine/);
});

test('of a folded message only the content differs, and the agent can open it', async () => {
  const model = new Script(30);
  const middleware = enfoldMiddleware({ budget: 8_000, recall: true });
  const agent = createAgent({ model, tools: [read], middleware: [middleware] });
  await agent.invoke(human('go'), { recursionLimit: 200 });
  const folded = model.requests.at(-1).find((message) => message.getType() === 'tool' && /#\d{9}/.test(message.content));
  assert.ok(folded.id && folded.name === 'read');
  const [unfold] = middleware.tools;
  const original = await unfold.invoke({ handle: folded.content.match(/#\d{9}/)[0] });
  assert.ok(original.length > 0 && !original.startsWith('There is nothing'));
  assert.match(await unfold.invoke({ handle: '000000000' }), /There is nothing/);
});
