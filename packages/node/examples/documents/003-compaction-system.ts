// A CMS agent on the AI SDK: old outputs are pruned first, then the conversation is summarized by a cheap model, and the client hears of it.
import { ToolLoopAgent, generateText, stepCountIs, tool, wrapLanguageModel, type ModelMessage } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { enfold } from 'enfold/ai-sdk';
import { z } from 'zod';

// Two models that run offline: the agent's reads page after page, the cheap one fills in the sections that it is asked for.
const usage = { inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 0, text: 0, reasoning: 0 } };
let nth = 0;
const agentModel = new MockLanguageModelV3({
  doGenerate: async () => ++nth % 30 === 0
    ? { content: [{ type: 'text', text: 'The pages are friendlier.' }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] }
    : { content: [{ type: 'tool-call', toolCallId: `c${nth}`, toolName: 'cms_getPage', input: JSON.stringify({ pageId: `page_${nth}` }) }], finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, warnings: [] },
});
const cheap = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const sections = [...new Set(JSON.stringify(prompt).match(/#{2,4} [A-Z][A-Za-z ()]+/g))];
    return { content: [{ type: 'text', text: sections.map((title) => `${title}\n- Page page_1 was made friendlier.`).join('\n') }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] };
  },
});

const sse: string[] = [];
const folding = enfold({
  budget: 60_000, policy: 'prune_then_summarize', pruneMinimum: 5_000, pruneProtect: 10_000, minTurnsToKeep: 2, summaryTemplate: 'cms',
  onEvent: ({ type }) => sse.push(type),
  summarize: async ({ system, user, maxTokens }) => (await generateText({ model: cheap, system, prompt: user, maxOutputTokens: maxTokens })).text,
});
const cms_getPage = tool({
  description: 'Gets a page.', inputSchema: z.object({ pageId: z.string() }),
  execute: async ({ pageId }) => ({ pageId, sections: Array.from({ length: 12 }, (_, at) => ({ sectionId: `${pageId}_${at}`, body: `${pageId} section ${at} `.repeat(25) })) }),
});
const agent = new ToolLoopAgent({ model: wrapLanguageModel({ model: agentModel, middleware: folding.middleware }), tools: { cms_getPage }, stopWhen: stepCountIs(40) });
let messages: ModelMessage[] = [];
for (const request of ['Make the pages friendlier.', 'Now the older ones.', 'And the blog.', 'And the shop.']) {
  messages = [...messages, { role: 'user', content: request }];
  const { response } = await folding.work(() => agent.generate({ messages }));
  messages = [...messages, ...response.messages];
}
console.log(`pruned: ${sse.includes('prune:complete')}, summarized: ${cheap.doGenerateCalls.length > 0}, failed: ${sse.includes('summary:failed')}`);
console.log(`the app keeps all ${messages.filter(({ role }) => role === 'tool').length} results`);
