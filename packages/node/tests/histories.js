'use strict';
// Sessions as an agent would have them, for tests.

// Lines that a tool prints: about 900 tokens.
const LINES = 50;

/** What a tool printed. */
function output(nth) {
  return Array.from({ length: LINES }, (_, line) => `src/file_${nth}.rs:${line}: unused value_${nth}_${line}\n`).join('');
}

/** A task and so many steps of OpenAI Chat. */
function chat(steps) {
  const messages = [{ role: 'user', content: 'Make the tests pass.' }];
  for (let nth = 0; nth < steps; nth++) {
    const call = { id: `c${nth}`, type: 'function', function: { name: 'bash', arguments: `{"command":"make ${nth}"}` } };
    messages.push({ role: 'assistant', content: null, tool_calls: [call] });
    messages.push({ role: 'tool', tool_call_id: `c${nth}`, content: output(nth) });
  }
  return messages;
}

/** The same as Anthropic takes it. */
function anthropic(steps) {
  const messages = [{ role: 'user', content: 'Make the tests pass.' }];
  for (let nth = 0; nth < steps; nth++) {
    const call = { type: 'tool_use', id: `t${nth}`, name: 'bash', input: { command: `make ${nth}` } };
    const result = { type: 'tool_result', tool_use_id: `t${nth}`, content: output(nth) };
    messages.push({ role: 'assistant', content: [call] }, { role: 'user', content: [result] });
  }
  return messages;
}

module.exports = { anthropic, chat, output };
