// Microcompaction in an agent of pi-agent-core: dormant while the provider's cache is warm; after a pause old results shrink, and what
// cannot be had again is written to a file first, whose path stands in the result.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, type AgentTool } from '@mariozechner/pi-agent-core';
import { fauxAssistantMessage, fauxToolCall, registerFauxProvider, type Context } from '@mariozechner/pi-ai';
import { enfold } from 'enfold/pi-agent-core';

const folder = mkdtempSync(join(tmpdir(), 'results-'));
let files = 0;
async function persistResult(content: string, { toolName, category }: { toolName: string; category?: string }) {
  if (category !== 'non-reproducible' && category !== 'computational') return undefined;
  const path = join(folder, `${toolName}-${files++}.txt`);
  writeFileSync(path, content);
  return path;
}

const faux = registerFauxProvider(); // in place of a model
let clock = Date.now();
const sent: string[] = [];
const respond = (nth: number) => ({ messages }: Context) => {
  sent.push(JSON.stringify(messages));
  if (nth === 40) clock += 6 * 60_000; // the user is away for six minutes
  const tool = nth % 2 ? 'Read' : 'Simulate';
  return nth > 40 ? fauxAssistantMessage('Done.') : fauxAssistantMessage(fauxToolCall(tool, { nth }, { id: `${tool}${nth}` }), { stopReason: 'toolUse' });
};
faux.setResponses(Array.from({ length: 42 }, (_, nth) => respond(nth)));
const tool = (name: string): AgentTool => ({
  name, label: name, description: name, parameters: { type: 'object', properties: {} } as AgentTool['parameters'],
  execute: async (id) => ({ content: [{ type: 'text', text: Array.from({ length: 250 }, (_, line) => `${id} line ${line}: value ${line * 7}`).join('\n') }], details: {} }),
});

const folding = enfold({ policy: 'microcompact', budget: 200_000, categories: { Simulate: 'computational' }, persistResult, now: () => clock });
const agent = new Agent({ initialState: { model: faux.getModel(), tools: [tool('Read'), tool('Simulate')] }, transformContext: folding.transformContext });
await agent.prompt('Find out why the numbers differ.');
const trims = (text: string) => text.split('tokens trimmed').length - 1;
console.log(`warm: ${trims(sent[40])} trimmed; cold: ${trims(sent[41]) > 5}, of them as files: ${files > 3 && sent[41].includes(folder)}; kept whole: ${!JSON.stringify(agent.state.messages).includes('tokens trimmed')}`);
