// Tools that return objects, as an agent of the AI SDK has them: through Zod schemas, over 60 steps, folded in the middleware and in
// `prepareStep`; and a session of an agent that edits a web site.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import * as ai from 'ai';
import * as testing from 'ai/test';
import * as enfoldPackage from 'enfold';
import { enfold } from 'enfold/ai-sdk';

import { tools } from './cms.mjs';
import { steps } from './scripted.mjs';

const { call, session } = createRequire(import.meta.url)('../site.js');
const STEPS = 60;
const Mock = testing.MockLanguageModelV4 ?? testing.MockLanguageModelV3;
const usage = { inputTokens: { total: undefined }, outputTokens: { total: undefined } };
const format = 'ai-sdk';

/** What a provider and the SDK's own schemas object to in messages. */
function faults(messages) {
  const found = enfoldPackage.validateSync(messages, { format }).filter(({ severity }) => severity === 'error');
  const refused = messages.map((message) => ai.modelMessageSchema.safeParse(message)).filter(({ success }) => !success);
  return [...found, ...refused.map(({ error }) => error.message)];
}

/** Goes through 60 steps; the prompts that the model was sent, and what the app keeps. */
async function run(settings, budget) {
  const prompts = [];
  const doGenerate = async ({ prompt }) => {
    assert.deepEqual(faults(prompt), [], `request ${prompts.length}`);
    assert.ok(enfoldPackage.countSync(prompt, { format }) <= budget, `request ${prompts.length}`);
    const nth = prompts.push(prompt) - 1;
    const isDone = nth === STEPS;
    const { toolName, input } = call(nth);
    const made = { type: 'tool-call', toolCallId: `c${nth}`, toolName, input: JSON.stringify(input) };
    const reason = isDone ? 'stop' : 'tool-calls';
    return { content: [isDone ? { type: 'text', text: 'Done.' } : made], finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
  };
  const model = new Mock({ doGenerate });
  const agent = new ai.ToolLoopAgent({ ...settings(model), tools, stopWhen: steps(STEPS + 10) });
  const result = await agent.generate({ prompt: 'Make the whole site friendlier.' });
  return { prompts, kept: result.responseMessages ?? result.response.messages };
}

/** What holds of either way. */
function check({ prompts, kept }) {
  assert.equal(prompts.length, STEPS + 1);
  const results = kept.filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
  assert.equal(results.length, STEPS);
  for (const { toolName, output } of results) {
    assert.equal(output.type, 'json');
    assert.ok(tools[toolName].outputSchema.safeParse(output.value).success, 'what the app keeps is what the tool returned');
  }
  for (const [nth, prompt] of prompts.entries()) {
    if (nth > 0) assert.equal(prompt.at(-1).content.at(-1).toolCallId, `c${nth - 1}`, 'the newest step stands at the end');
  }
  assert.ok(prompts.at(-1).length > 20, 'folding leaves more than the newest step');
}

test('60 steps with objects through the middleware: valid, within the budget, the newest step at the end', async () => {
  const folding = enfold({ budget: 24_000 });
  check(await run((model) => ({ model: ai.wrapLanguageModel({ model, middleware: folding.middleware }) }), 24_000));
});

test('60 steps with objects through prepareStep: the same', async () => {
  const folding = enfold({ budget: 24_000, tools: [] });
  check(await run((model) => ({ model, prepareStep: folding.prepareStep }), 24_000));
});

test('a session that edits a site, of 80,000 tokens, gives valid views that use their budget', async () => {
  const messages = session(30);
  const whole = enfoldPackage.countSync(messages, { format });
  assert.ok(whole >= 80_000 && whole < 100_000, `${whole} tokens`);
  for (const budget of [64_000, 40_000, 24_000]) {
    const view = await new enfoldPackage.Session({ format, budget }).prepare(messages);
    assert.deepEqual(faults(view.messages), []);
    assert.ok(view.tokens <= budget && view.tokens >= 0.4 * budget, `${view.tokens} of ${budget} tokens`);
  }
});
