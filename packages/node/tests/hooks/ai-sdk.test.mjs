// The AI SDK itself, version 6 or 7, whichever is installed here, with its own fake model.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as ai from 'ai';
import * as enfoldPackage from 'enfold';
import { enfold } from 'enfold/ai-sdk';

import { file, read, scripted, sizes, steps } from './scripted.mjs';

const WHOLE = file('src/module_0.py').length;
const shared = { tools: { read }, prompt: 'Read all modules.', stopWhen: steps(100) };
const [systemName] = ai.isStepCount === undefined ? ['system'] : ['instructions'];
const texts = (messages) => messages.map((message) => JSON.stringify(message));

/** How many messages at the beginning two lists share. */
function common(one, other) {
  const differs = one.findIndex((text, nth) => text !== other[nth]);
  return differs < 0 ? one.length : differs;
}

test('the middleware folds what the model sees, and the history stays whole', async () => {
  const { model, prompts } = scripted(30, { window: 8_000 });
  const { middleware } = enfold({ budget: 8_000 });
  const result = await ai.generateText({ ...shared, model: ai.wrapLanguageModel({ model, middleware }) });
  assert.equal(prompts.length, 31);
  assert.ok(sizes(prompts.at(-1)).some((size) => size < WHOLE));
  const kept = result.responseMessages ?? result.response.messages;
  assert.ok(sizes(kept).every((size) => size >= WHOLE), 'what the app keeps is whole');
  assert.equal(sizes(kept).length, 30);
});

test('the prefix changes only where an epoch opens', async () => {
  const { model, prompts } = scripted(40, { window: 8_000 });
  const starts = [];
  const { middleware } = enfold({ budget: 8_000, onEvent: ({ type }) => type === 'compaction:start' && starts.push(prompts.length) });
  await ai.generateText({ ...shared, model: ai.wrapLanguageModel({ model, middleware }) });
  const changed = prompts.flatMap((prompt, nth) => {
    const before = nth === 0 ? [] : texts(prompts[nth - 1]);
    return common(before, texts(prompt)) === before.length ? [] : [nth];
  });
  assert.deepEqual(changed, starts);
  assert.ok(starts.length > 1 && starts.length < 10, `${starts.length} epochs`);
});

test('prepareStep does the same: messages in, messages out', async () => {
  const { model, prompts } = scripted(30);
  const { prepareStep } = enfold({ budget: 8_000 });
  const result = await ai.generateText({ ...shared, model, prepareStep });
  assert.equal(prompts.length, 31);
  for (const prompt of prompts) assert.ok(enfoldPackage.countSync(prompt, { format: 'ai-sdk' }) <= 8_200);
  assert.ok(sizes(result.responseMessages ?? result.response.messages).every((size) => size >= WHOLE));
  const opened = prompts.filter((prompt, nth) => nth > 0 && common(texts(prompts[nth - 1]), texts(prompt)) < prompts[nth - 1].length);
  assert.ok(opened.length > 0 && opened.length < 8, `${opened.length} of 31 requests changed what was sent before`);
});

test('prepareStep keeps the tools active that are still referred to', async () => {
  const { model } = scripted(3);
  const { prepareStep } = enfold({ budget: 8_000, keepTools: ['write'] });
  const active = [];
  const write = { ...read };
  const watching = async (step) => {
    const prepared = await prepareStep(step);
    active.push(prepared.activeTools);
    return prepared;
  };
  await ai.generateText({ ...shared, tools: { read, write }, model, prepareStep: watching });
  assert.deepEqual(active, [['write'], ['write', 'read'], ['write', 'read'], ['write', 'read']]);
});

test('streams are folded too', async () => {
  const { model, prompts } = scripted(20, { window: 8_000 });
  const { middleware } = enfold({ budget: 8_000 });
  const result = ai.streamText({ ...shared, model: ai.wrapLanguageModel({ model, middleware }), onError: ({ error }) => assert.fail(error) });
  assert.equal(await result.text, 'Done.');
  assert.equal(prompts.length, 21);
});

test('what is too long for the provider is folded harder and tried once more', async () => {
  const tooLong = (prompt, nth) => {
    const tokens = enfoldPackage.countSync(prompt, { format: 'ai-sdk' });
    if (nth !== 15 || tokens < 5_000) return;
    const data = { error: { message: `prompt is too long: ${tokens} tokens > 5000 maximum`, type: 'invalid_request_error' } };
    const about = { message: data.error.message, url: 'http://x', requestBodyValues: {}, statusCode: 400, responseBody: JSON.stringify(data) };
    throw new ai.APICallError({ ...about, isRetryable: false });
  };
  const { model, prompts } = scripted(20, { refuse: tooLong });
  const { middleware } = enfold({ budget: 8_000 });
  await ai.generateText({ ...shared, model: ai.wrapLanguageModel({ model, middleware }), maxRetries: 0 });
  assert.equal(prompts.length, 21);
});

test('another error, and a second refusal, are the caller’s', async () => {
  const { middleware } = enfold({ budget: 8_000 });
  const other = scripted(3, { refuse: () => { throw new RangeError('mine'); } });
  await assert.rejects(ai.generateText({ ...shared, model: ai.wrapLanguageModel({ model: other.model, middleware }), maxRetries: 0 }), /mine/);
  const always = scripted(3, { refuse: () => { throw Object.assign(new Error('prompt is too long'), { statusCode: 400 }); } });
  await assert.rejects(ai.generateText({ ...shared, model: ai.wrapLanguageModel({ model: always.model, middleware }), maxRetries: 0 }), /too long/);
});

test('bytes stay bytes', async () => {
  const { model, prompts } = scripted(20, { window: 8_000 });
  const { middleware } = enfold({ budget: 8_000 });
  const image = new Uint8Array(Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'));
  const content = [{ type: 'text', text: 'Read all modules.' }, { type: 'file', data: image, mediaType: 'image/png' }];
  const { prompt: _, ...rest } = shared;
  const model_ = ai.wrapLanguageModel({ model, middleware });
  await ai.generateText({ ...rest, messages: [{ role: 'user', content }], model: model_ }).catch((error) => assert.fail(error));
  const bytes = (value) => ArrayBuffer.isView(value) || (value && typeof value === 'object' && Object.values(value).some(bytes));
  assert.ok(prompts.every((prompt) => bytes(prompt)));
});

test('summaries: the start is heard before the model is asked, rounds are chained, the loop settles also when it throws', async () => {
  const heard = [];
  const summarize = async ({ system, user }) => {
    heard.push('asked');
    assert.ok(system.length > 0 && user.length > 0);
    return narrative(user);
  };
  const { model, prompts } = scripted(60, { window: 16_000 });
  const folding = enfold({ budget: 16_000, policy: 'summarize', summarize, onEvent: (event) => heard.push(event) });
  let settled = 0;
  const settle = folding.settle.bind(folding);
  folding.settle = () => settle(settled++);
  const failing = folding.work(async () => {
    await ai.generateText({ ...shared, model: ai.wrapLanguageModel({ model, middleware: folding.middleware }), [systemName]: 'Be brief.' });
    throw new RangeError('the loop');
  });
  await assert.rejects(failing, /the loop/);
  assert.equal(settled, 1);
  assert.equal(prompts.length, 61);
  const failures = heard.filter(({ type }) => type === 'summary:failed');
  assert.deepEqual(failures, []);
  const order = heard.map((it) => it.type ?? it).filter((type) => type !== 'prune:complete');
  const rounds = heard.filter(({ type }) => type === 'compaction:complete').map(({ data }) => data.round);
  assert.deepEqual(order, rounds.flatMap(() => ['compaction:start', 'asked', 'compaction:complete']));
  assert.deepEqual(rounds, rounds.map((_, nth) => nth + 1));
  assert.ok(rounds.length >= 4, `${rounds.length} rounds`);
});

test('a summarizer that fails leaves the agent going', async () => {
  const events = [];
  const { model, prompts } = scripted(30, { window: 16_000 });
  const summarize = async () => { throw new Error('no key'); };
  const { middleware } = enfold({ budget: 16_000, policy: 'summarize', summarize, onEvent: (event) => events.push(event) });
  await ai.generateText({ ...shared, model: ai.wrapLanguageModel({ model, middleware }) });
  assert.equal(prompts.length, 31);
  const { data } = events.find(({ type }) => type === 'summary:failed');
  assert.deepEqual(data, { round: 1, class: 'failed', why: 'no key' });
});

test('two that begin alike may run at once', async () => {
  const { middleware } = enfold({ budget: 8_000 });
  const running = [scripted(12, { window: 8_000 }), scripted(12, { window: 8_000 })];
  const texts = running.map(({ model }) => ai.generateText({ ...shared, model: ai.wrapLanguageModel({ model, middleware }) }));
  for (const { text } of await Promise.all(texts)) assert.equal(text, 'Done.');
});

test('a stored session of one’s own', async () => {
  const { mkdtempSync } = await import('node:fs');
  const path = `${mkdtempSync('/tmp/enfold-')}/sessions.db`;
  const session = await enfoldPackage.StoredSession.open(path, 's', { budget: 8_000, format: 'ai-sdk' });
  const { model, prompts } = scripted(20, { window: 8_000 });
  const folding = enfold({ session });
  await folding.work(() => ai.generateText({ ...shared, model: ai.wrapLanguageModel({ model, middleware: folding.middleware }) }));
  assert.equal(prompts.length, 21);
  assert.ok(session.length > 40);
});

test('a fold can be opened', async () => {
  const { model, prompts } = scripted(30);
  const folding = enfold({ budget: 8_000 });
  await ai.generateText({ ...shared, model: ai.wrapLanguageModel({ model, middleware: folding.middleware }) });
  const handle = JSON.stringify(prompts.at(-1)).match(/#\d{9}/)[0];
  assert.ok((await folding.recall(handle)).length > 0);
});

/** What a model writes when it is asked: every section that it was asked for. */
function narrative(user) {
  const sections = [...user.matchAll(/^#{2,4} .+$/gm)].map(([heading]) => heading);
  return `${[...new Set(sections)].join('\n- The modules were read one by one.\n')}\n- The modules were read one by one.\n`;
}
