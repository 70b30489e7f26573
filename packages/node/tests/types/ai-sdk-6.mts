// The hook is what version 6 of the AI SDK asks for.
import { generateText, wrapLanguageModel } from 'ai';
import type { MockLanguageModelV3 } from 'ai/test';
import { enfold } from 'enfold/ai-sdk';

declare const given: MockLanguageModelV3;
const folding = enfold({ budget: '8k' });
const model = wrapLanguageModel({ model: given, middleware: folding.middleware });
await folding.work(() => generateText({ model, prompt: 'x', prepareStep: folding.prepareStep }));
