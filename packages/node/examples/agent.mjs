// An agent of 60 steps through a window of 16,000 tokens, offline: the model is a script that reads file after file.
//
//     node examples/agent.mjs
//
// What it shows: the loop keeps its whole list; each request is what `prepare` gives; nothing else changes.
import assert from 'node:assert/strict';
import { Session, count, countSync, validateSync } from 'enfold';

const WINDOW = 16_000;
const STEPS = 60;

/**
 * @typedef {{ id: string, type: 'function', function: { name: string, arguments: string } }} Call
 * @typedef {{ role: string, content: string | null, tool_calls?: Call[], tool_call_id?: string }} Message
 */

/**
 * In place of a provider: asks for the next file until it has seen all of them.
 * @param {Message[]} messages
 * @returns {Message}
 */
function model(messages) {
  const errors = validateSync(messages, { format: 'openai-chat' }).filter(({ severity }) => severity === 'error');
  assert.deepEqual(errors, []);
  assert.ok(countSync(messages, { format: 'openai-chat' }) <= WINDOW);
  const last = messages.findLast(({ tool_calls }) => tool_calls)?.tool_calls?.[0]?.id;
  const step = last === undefined ? 0 : Number(last.slice(1)) + 1;
  if (step === STEPS) return { role: 'assistant', content: 'Done: every file is read.' };
  const written = JSON.stringify({ path: `src/module_${step}.py` });
  const call = { id: `c${step}`, type: /** @type {const} */ ('function'), function: { name: 'read_file', arguments: written } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}

/**
 * A file of about 900 tokens.
 * @param {{ path: string }} given
 */
function readFile({ path }) {
  const lines = Array.from({ length: 30 }, (_, nth) => `def handler_${nth}(request):  # ${path}\n    return request.value_${nth} + ${nth}\n`);
  return lines.join('');
}

/** @type {Message[]} */
const messages = [{ role: 'user', content: 'Read all modules and say what they do.' }];
/** @type {Session<Message>} */
const session = new Session({ budget: WINDOW, format: 'openai-chat' });
let [requests, rewritten] = [0, 0];
try {
  for (;;) {
    const view = await session.prepare(messages);
    requests += 1;
    rewritten += view.opened === undefined ? 0 : 1;
    const answer = model(view.messages);
    messages.push(answer);
    if (!answer.tool_calls) break;
    for (const call of answer.tool_calls) {
      messages.push({ role: 'tool', tool_call_id: call.id, content: readFile(JSON.parse(call.function.arguments)) });
    }
  }
} finally {
  await session.settle();
}
const total = (await count(messages)).toLocaleString('en');
console.log(`${requests} requests, every request valid and within ${WINDOW.toLocaleString('en')} tokens; the history has ${total}.`);
console.log(`${rewritten} of them changed what was sent before: the cache held for the others.`);
