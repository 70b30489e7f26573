'use strict';
// LangChain: folds what an agent sends, never its state. Made of the classes that the caller's own LangChain has: it comes once as
// a module and once for `require`, and their classes are not the same.

const { Folder, Written } = require('../lib/folder.js');

// Blocks in the content of an answer that repeat what its `tool_calls` say.
const CALLS = ['tool_use', 'tool_call', 'function_call', 'server_tool_use'];
const isCall = (block) => CALLS.includes(block?.type);

const HANDLE = 'The number after # in a note such as [12 lines #482913077].';
const schema = { type: 'object', properties: { handle: { type: 'string', description: HANDLE } }, required: ['handle'] };

/** `enfoldMiddleware` for one LangChain. */
function made({ createMiddleware, HumanMessage, tool, convertToOpenAITool }) {
  return function enfoldMiddleware({ recall = false, ...options } = {}) {
    const folder = new Folder(options, 'openai-chat');
    const messages = new Written(written, (message) => [message.content, message.tool_calls]);
    const tools = new Written((it) => (it.type === undefined || it.lc_namespace ? convertToOpenAITool(it) : it), (it) => [it.schema]);
    const unfold = async ({ handle }) => (await folder.recall(handle)) ?? `There is nothing behind ${handle}.`;
    const about = { name: 'unfold', description: 'Opens what was folded away.', schema };
    return createMiddleware({
      name: 'Enfold',
      tools: recall ? [tool(unfold, about)] : [],
      wrapModelCall: (request, handler) => {
        const own = [...systemOf(request), ...request.messages];
        const list = own.map((message) => messages.of(message));
        const session = folder.session(request.runtime?.configurable?.thread_id, list);
        const beside = { tools: request.tools?.map((it) => tools.of(it)) };
        return folder.send(session, list, beside, (view) => handler(answer(request, own, view, HumanMessage)));
      },
    });
  };
}

function systemOf({ systemMessage, systemPrompt }) {
  if (systemMessage !== undefined) return systemMessage.text === '' ? [] : [systemMessage];
  return systemPrompt ? [{ getType: () => 'system', content: systemPrompt }] : [];
}

/** The request with the messages of a view. The system prompt is never folded. */
function answer(request, own, view, HumanMessage) {
  const sent = view.origins.map(({ kind, index }, nth) => {
    if (kind === 'same') return own[index];
    const message = view.messages[nth];
    return kind === 'changed' ? patched(own[index], message) : new HumanMessage({ content: message.content });
  });
  return { ...request, messages: sent.filter((message) => message.getType() !== 'system' || request.messages.includes(message)) };
}

/** A copy of the state's message that says what the folded one says; everything else stays. */
function patched(own, { content }) {
  const isListed = Array.isArray(own.content) && Array.isArray(content);
  const said = isListed ? [...content, ...own.content.filter(isCall)] : (content ?? '');
  return new own.constructor({ ...own, content: said });
}

/** A message as OpenAI Chat has it. */
function written(message) {
  const { content } = message;
  switch (message.getType()) {
    case 'tool':
      return { role: 'tool', tool_call_id: message.tool_call_id, content };
    case 'ai': {
      const said = Array.isArray(content) ? content.filter((block) => !isCall(block)) : content;
      if (!message.tool_calls?.length) return { role: 'assistant', content: said };
      return { role: 'assistant', content: said.length > 0 ? said : null, tool_calls: message.tool_calls.map(call) };
    }
    case 'system':
      return { role: 'system', content };
    default:
      return { role: 'user', content };
  }
}

function call({ id, name, args }) {
  return { id: id ?? '', type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

module.exports = { made };
