// A model of the AI SDK that reads file after file, offline. It refuses what a provider would refuse.
import assert from 'node:assert/strict';
import * as ai from 'ai';
import * as testing from 'ai/test';
import * as enfold from 'enfold';

const Mock = testing.MockLanguageModelV4 ?? testing.MockLanguageModelV3;
const usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** Stops a loop of the SDK after so many steps, in either version. */
export const steps = ai.isStepCount ?? ai.stepCountIs;

/** A file of about 1,100 tokens. */
export function file(path) {
  return Array.from({ length: 45 }, (_, nth) => `def handler_${nth}(request):  # ${path}\n    return request.value_${nth}\n`).join('');
}

/** The tool that reads it. */
export const read = ai.tool({
  description: 'Reads a file.',
  inputSchema: ai.jsonSchema({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }),
  execute: async ({ path }) => file(path),
});

/** Answers with so many calls, then with a text. `refuse(prompt, nth)` may throw. */
export function scripted(calls, { window = Infinity, refuse = () => {} } = {}) {
  const prompts = [];
  const answer = (prompt) => {
    refuse(prompt, prompts.length);
    const sent = JSON.parse(JSON.stringify(prompt, asText));
    const errors = enfold.validateSync(sent, { format: 'ai-sdk' }).filter(({ severity }) => severity === 'error');
    assert.deepEqual(errors, []);
    assert.ok(enfold.countSync(sent, { format: 'ai-sdk' }) <= window);
    const nth = prompts.push(prompt) - 1;
    if (nth >= calls) return { content: [{ type: 'text', text: 'Done.' }], reason: 'stop' };
    const input = JSON.stringify({ path: `src/module_${nth}.py` });
    return { content: [{ type: 'tool-call', toolCallId: `c${nth}`, toolName: 'read', input }], reason: 'tool-calls' };
  };
  const model = new Mock({
    doGenerate: async ({ prompt }) => {
      const { content, reason } = answer(prompt);
      return { content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
    },
    doStream: async ({ prompt }) => {
      const { content, reason } = answer(prompt);
      const [part] = content;
      const text = [{ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: part.text }, { type: 'text-end', id: 't' }];
      const finish = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage };
      const chunks = [{ type: 'stream-start', warnings: [] }, ...(part.type === 'text' ? text : [part]), finish];
      return { stream: ReadableStream.from(chunks) };
    },
  });
  return { model, prompts };
}

/** Bytes as a provider is sent them. */
function asText(_, value) {
  return ArrayBuffer.isView(value) ? Buffer.from(value).toString('base64') : value;
}

/** Sizes of the tool results in a list of messages. */
export function sizes(messages) {
  return messages.filter(({ role }) => role === 'tool').flatMap(({ content }) => content.map(({ output }) => output.value.length));
}
