// pi-agent-core itself, with the fake model that pi-ai brings along.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Agent } from '@mariozechner/pi-agent-core';
import { fauxAssistantMessage, fauxToolCall, registerFauxProvider } from '@mariozechner/pi-ai';
import * as enfoldPackage from 'enfold';
import { enfold } from 'enfold/pi-agent-core';

const MINUTE = 60_000;
const output = (nth, lines) => Array.from({ length: lines }, (_, line) => `src/file_${nth}.rs:${line}: unused value_${line}\n`).join('');

/** What the model reads of messages. */
const bare = (messages) => messages.map(({ details: _, ...message }) => message);

/** An agent that runs so many commands, and the contexts that its model was sent. `between(nth)` is called before each. */
function agent(commands, options, { between = () => {}, lines = 60 } = {}) {
  const faux = registerFauxProvider({ models: [{ id: 'fake', contextWindow: 200_000 }] });
  const contexts = [];
  const answer = (nth) => (context) => {
    between(nth);
    contexts.push(context.messages);
    const errors = enfoldPackage.validateSync(bare(context.messages)).filter(({ severity }) => severity !== 'note');
    assert.deepEqual(errors, []);
    if (nth === commands) return fauxAssistantMessage('Done.');
    return fauxAssistantMessage(fauxToolCall('Bash', { command: `make ${nth}` }, { id: `c${nth}` }), { stopReason: 'toolUse' });
  };
  faux.setResponses(Array.from({ length: commands + 1 }, (_, nth) => answer(nth)));
  const bash = {
    name: 'Bash', label: 'Bash', description: 'Runs a command.', parameters: { type: 'object', properties: { command: { type: 'string' } } },
    // Details may hold what JSON cannot say.
    execute: async (id) => ({ content: [{ type: 'text', text: output(id, lines) }], details: new Map([[id, 1n]]) }),
  };
  const folding = enfold(options);
  const { transformContext } = folding;
  const running = new Agent({ initialState: { systemPrompt: 'Be brief.', model: faux.getModel(), tools: [bash] }, transformContext });
  return { running, folding, contexts };
}

const results = (messages) => messages.filter(({ role }) => role === 'toolResult');
const text = ({ content }) => content.map((part) => part.text ?? '').join('');

test('its messages are recognised, folded within the budget and written back in their own shape', async () => {
  const { running, folding, contexts } = agent(40, { budget: 8_000 });
  await running.prompt('Make the tests pass.');
  assert.equal(contexts.length, 41);
  for (const context of contexts) {
    assert.ok(enfoldPackage.countSync(bare(context)) <= 8_000);
    assert.ok(results(context).every((it) => it.toolName === 'Bash' && it.isError === false && it.details instanceof Map));
  }
  assert.equal(enfoldPackage.inspectSync(bare(contexts[5])).format, 'pi-agent-core');
  const kept = results(running.state.messages);
  assert.equal(kept.length, 40);
  assert.ok(kept.every((it) => text(it).length === output('c1', 60).length || text(it).length === output('c11', 60).length), 'the agent keeps all of it');
  const handle = bare(contexts.at(-1)).map((message) => JSON.stringify(message)).join('').match(/#\d{9}/)[0];
  assert.notEqual(await folding.recall(handle), undefined);
});

test('microcompaction waits while the cache is warm, and trims as soon as the host’s clock says that it is cold', async () => {
  let clock = 0;
  const kept = [];
  const persistResult = async (content, { toolName, category, messageIndex }) => {
    kept.push({ content, toolName, category, messageIndex });
    return `/results/${kept.length}.txt`;
  };
  const tick = (nth) => { clock += nth === 30 ? 6 * MINUTE : MINUTE; };
  const options = { policy: 'microcompact', budget: 200_000, now: () => clock, cacheSeconds: 300, persistResult };
  const { running, contexts } = agent(31, options, { between: tick, lines: 160 });
  await running.prompt('Make the tests pass.');
  const trimmed = (context) => results(context).filter((it) => text(it).includes('tokens trimmed'));
  const sent = contexts.map((context) => trimmed(context).length);
  assert.deepEqual(sent.slice(0, 31), Array(31).fill(0), 'a minute between requests keeps it warm');
  assert.ok(sent[31] > 3, `${sent[31]} trimmed`);
  assert.ok(text(trimmed(contexts[31])[0]).includes('full text: /results/'));
  const [first] = kept;
  assert.deepEqual([first.toolName, first.category], ['Bash', 'non-reproducible']);
  assert.equal(text(running.state.messages[first.messageIndex]), first.content);
});

test('what cannot be folded is sent as it is, with a warning', async () => {
  const warned = new Promise((resolve) => process.once('warning', resolve));
  const { running, contexts } = agent(2, { budget: 40 });
  await running.prompt('Make the tests pass. '.repeat(40));
  assert.equal(contexts.length, 3);
  assert.match((await warned).message, /sent as they are/);
});
