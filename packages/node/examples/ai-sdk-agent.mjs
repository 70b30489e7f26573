// An agent of the AI SDK 7, of 60 steps through a window of 16,000 tokens, offline: the model is a script that reads file after file.
//
//     node examples/ai-sdk-agent.mjs
//
// What it shows: compaction in rounds, each told from its start on; every request valid, within the window, and unchanged but at a
// new epoch; what is left is pruned when the work ends, also by an error.
import assert from 'node:assert/strict';
import { ToolLoopAgent, isStepCount, jsonSchema, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { countSync, validateSync } from 'enfold';
import { enfold } from 'enfold/ai-sdk';

const WINDOW = 16_000;
const STEPS = 60;

const read = tool({
  description: 'Reads a file.',
  inputSchema: /** @type {import('ai').Schema<{ path: string }>} */ (
    jsonSchema({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] })
  ),
  execute: async ({ path }) =>
    Array.from({ length: 45 }, (_, nth) => `def handler_${nth}(request):  # ${path}\n    return request.value_${nth}\n`).join(''),
});

/** What the model was sent, as texts. @type {string[][]} */
const requests = [];

// In place of a provider: refuses what one would refuse, and asks for the next file until it has seen all of them.
const script = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const errors = validateSync(prompt, { format: 'ai-sdk' }).filter(({ severity }) => severity === 'error');
    assert.deepEqual(errors, []);
    assert.ok(countSync(prompt, { format: 'ai-sdk' }) <= WINDOW);
    const step = requests.push(prompt.map((message) => JSON.stringify(message))) - 1;
    const usage = {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    };
    if (step === STEPS) {
      return { content: [{ type: 'text', text: 'Done.' }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] };
    }
    const input = JSON.stringify({ path: `src/module_${step}.py` });
    return {
      content: [{ type: 'tool-call', toolCallId: `c${step}`, toolName: 'read', input }],
      finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
      usage,
      warnings: [],
    };
  },
});

/**
 * In place of a cheap model: writes something in every section that it is asked for.
 * @param {import('enfold').Question} question
 */
async function summarize({ user }) {
  heard.push({ type: 'asked', at: requests.length });
  const sections = new Set(Array.from(user.matchAll(/^#{2,4} .+$/gm), ([heading]) => heading));
  return [...sections].map((heading) => `${heading}\n- The modules were read one by one.`).join('\n');
}

/** What happened, and before which request. @type {{ type: string, at: number, round?: number | null }[]} */
const heard = [];

const folding = enfold({
  budget: WINDOW,
  policy: 'summarize',
  summarize,
  onEvent: (event) => {
    const round = event.type === 'compaction:complete' ? event.data.round : undefined;
    heard.push({ type: event.type, at: requests.length, ...(round === undefined ? {} : { round }) });
  },
});

const agent = new ToolLoopAgent({
  model: wrapLanguageModel({ model: script, middleware: folding.middleware }),
  instructions: 'Be brief.',
  tools: { read },
  stopWhen: isStepCount(STEPS + 1),
});
const failed = new Error('the loop threw');
const thrown = await folding
  .work(async () => {
    await agent.generate({ prompt: 'Read all modules and say what they do.' });
    throw failed;
  })
  .catch((error) => error);
assert.equal(thrown, failed, 'an error of the loop is the caller’s, after the session has settled');

// Within an epoch each request is the one before plus new messages; where one is not, a compaction had begun.
const starts = heard.filter(({ type }) => type === 'compaction:start').map(({ at }) => at);
const changed = requests.flatMap((request, nth) => (requests[nth - 1]?.every((text, at) => text === request[at]) ?? true ? [] : [nth]));
assert.deepEqual(changed, starts);
const rounds = heard.flatMap(({ round }) => (round === undefined ? [] : [round]));
assert.deepEqual(rounds, rounds.map((_, nth) => nth + 1));
assert.ok(rounds.length >= 4);
const order = heard.map(({ type }) => type).filter((type) => type !== 'prune:complete');
assert.deepEqual(order, rounds.flatMap(() => ['compaction:start', 'asked', 'compaction:complete']));

console.log(`${requests.length} requests, every request valid and within ${WINDOW.toLocaleString('en')} tokens.`);
console.log(`${rounds.length} rounds; ${changed.length} requests changed what was sent before: the cache held for the others.`);
