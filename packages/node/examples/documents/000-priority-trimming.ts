// Trimming by priority: files under work outlive files that were only read, and what leaves is reported with its priority.
import { files, fold } from 'enfold';

interface Message { role: string; content: string | null; tool_calls?: object[]; tool_call_id?: string }
const call = (id: string, name: string, args: object): Message => {
  const made = { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
  return { role: 'assistant', content: null, tool_calls: [made] };
};
const result = (id: string, content: string): Message => ({ role: 'tool', tool_call_id: id, content });
const say = (role: string, content: string): Message => ({ role, content });

const messages: Message[] = [
  say('system', 'You are a helpful assistant'),
  say('user', 'Make the server listen on the port from its settings.'),
  call('1', 'read_file', { path: '/app/edited.ts' }), result('1', 'export const port = 80; // edited.ts\n'.repeat(100)),
  call('2', 'edit_file', { path: '/app/edited.ts', old_str: 'port = 80', new_str: 'port = settings.port' }), result('2', 'Edited.'),
  call('3', 'read_file', { path: '/app/read.ts' }), result('3', 'export const other = 1; // read.ts\n'.repeat(100)),
];
for (let nth = 1; nth <= 12; nth++) messages.push(say('user', `Old message ${nth}`), say('assistant', `Old response ${nth}`));
messages.push(say('user', 'Recent message'), say('assistant', 'Recent response'));

/** What the conversation is trimmed to. */
async function trimConversation(messages: Message[], targetTokens: number, options: { preserveRecentTurns: number }) {
  const view = await fold(messages, { policy: 'priority', budget: targetTokens, ...options });
  return { messages: view.messages, droppedMessages: view.dropped, savedTokens: (view.trace.before as number) - view.tokens, shortened: view.shortened };
}

const trimmed = await trimConversation(messages, 1_700, { preserveRecentTurns: 2 });
const text = JSON.stringify(trimmed.messages);
const tracker = await files(messages);
console.log(`modified: ${tracker.modified.join(', ')}`);
console.log(`system kept: ${text.includes('You are a helpful assistant')}, recent kept: ${text.includes('Recent message')}`);
console.log(`edited.ts whole: ${text.split('// edited.ts').length === 101 && text.includes('port = settings.port')}, read.ts whole: ${text.split('// read.ts').length === 101}`);
for (const { message, priority, originalTokens, tokens } of trimmed.shortened) console.log(`message ${message}: priority ${priority}, ${originalTokens} tokens, now ${tokens}`);
for (const { message, priority, tokens } of trimmed.droppedMessages) console.log(`message ${message}: priority ${priority}, ${tokens} tokens, dropped`);
console.log(`saved: ${trimmed.savedTokens > 500}`);
