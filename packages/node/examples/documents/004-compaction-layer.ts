// A compaction layer in `prepareStep`: near the window's end older messages become a summary, round after round, and the newest stay.
import { generateText, isStepCount, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { enfold } from 'enfold/ai-sdk';
import { z } from 'zod';

// In place of a model: it calls a tool, step after step; asked for a summary, it fills in the sections.
const usage = { inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 0, text: 0, reasoning: 0 } };
const prompts: string[] = [];
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt, tools }) => {
    const text = JSON.stringify(prompt);
    if (tools === undefined) {
      const sections = [...new Set(text.match(/#{2,4} [A-Z][A-Za-z ()]+/g))];
      return { content: [{ type: 'text', text: sections.map((title) => `${title}\n- The modules were read one by one.`).join('\n') }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] };
    }
    const nth = prompts.push(text);
    if (nth > 80) return { content: [{ type: 'text', text: 'Done.' }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] };
    const call = { type: 'tool-call' as const, toolCallId: `c${nth}`, toolName: 'readFile', input: JSON.stringify({ path: `src/module_${nth}.ts` }) };
    return { content: [call], finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, warnings: [] };
  },
});

const rounds: string[] = [];
const folding = enfold({
  window: 32_000, threshold: 0.8, policy: 'summarize', recentMessagesToKeep: 10, summaryTokens: 800,
  onEvent: ({ type, data }) => { if (type === 'compaction:complete') rounds.push(`round ${data.round}: smaller ${data.tokensAfter < data.tokensBefore}`); },
  summarize: async ({ system, user, maxTokens }) => (await generateText({ model, system, prompt: user, maxOutputTokens: maxTokens })).text,
});
const readFile = tool({
  description: 'Reads a file.', inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => Array.from({ length: 60 }, (_, line) => `${path}:${line}: export const value_${line} = ${line};`).join('\n'),
});
const result = await generateText({ model, tools: { readFile }, prompt: 'Read every module.', stopWhen: isStepCount(100), prepareStep: folding.prepareStep });
console.log(rounds.slice(0, 2).join('\n'));
console.log(`steps: ${result.steps.length}; task kept: ${prompts.at(-1)?.includes('Read every module.')}; newest call there: ${prompts.at(-1)?.includes('"c80"')}`);
