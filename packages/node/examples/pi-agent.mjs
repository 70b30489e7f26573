// Microcompaction inside an agent of pi-agent-core: while the provider's cache is warm nothing is touched; after a pause old results
// shrink, and what cannot be had again is kept as a file that the agent can read. `npm install @mariozechner/pi-agent-core enfold`.
import { mkdtempSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Agent } from '@mariozechner/pi-agent-core';
import { fauxAssistantMessage, fauxToolCall, registerFauxProvider } from '@mariozechner/pi-ai';
import { count } from 'enfold';
import { enfold } from 'enfold/pi-agent-core';

const folder = mkdtempSync(join(tmpdir(), 'results-'));
let files = 0;
/** @type {import('enfold').PersistResult} */
const persistResult = async (content, { toolName, category }) => {
  if (category !== 'non-reproducible' && category !== 'computational') return undefined;
  const path = join(folder, `${toolName}-${files++}.txt`);
  await writeFile(path, content);
  return path;
};

// In place of your model and your clock, so that this runs offline and at once: the user is away for ten minutes after 30 commands.
let clock = Date.now();
const faux = registerFauxProvider();
/** @type {number[]} */
const sent = [];
/** @type {(nth: number) => import('@mariozechner/pi-ai').FauxResponseStep} */
const respond = (nth) => async ({ messages }) => {
  if (nth === 30) clock += 10 * 60_000;
  sent.push(await count(messages));
  if (nth > 30) return fauxAssistantMessage('Done.');
  return fauxAssistantMessage(fauxToolCall('Bash', { command: `make ${nth}` }, { id: `call_${nth}` }), { stopReason: 'toolUse' });
};
faux.setResponses(Array.from({ length: 32 }, (_, nth) => respond(nth)));
/** @param {string} id */
const output = (id) => Array.from({ length: 160 }, (_, line) => `src/${id}.rs:${line}: unused value_${line}\n`).join('');
/** @type {import('@mariozechner/pi-agent-core').AgentTool} */
const bash = {
  name: 'Bash', label: 'Bash', description: 'Runs a command.', parameters: /** @type {any} */ ({ type: 'object', properties: {} }),
  execute: async (id) => ({ content: [{ type: 'text', text: output(id) }], details: {} }),
};

const folding = enfold({ policy: 'microcompact', budget: 200_000, persistResult, now: () => clock });
const initialState = { systemPrompt: 'Be brief.', model: faux.getModel(), tools: [bash] };
const agent = new Agent({ initialState, transformContext: folding.transformContext });
await agent.prompt('Make the tests pass.');

console.log(`${agent.state.messages.length} messages, ${await count(agent.state.messages)} tokens, are whole`);
console.log(`sent: ${sent[30]} tokens while the cache was warm, ${sent[31]} after the pause; ${files} results are files`);
if (sent[31] >= sent[30] || files === 0) throw new Error('nothing was trimmed');
