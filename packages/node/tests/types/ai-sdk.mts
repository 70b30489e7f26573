// The hook is what the AI SDK asks for.
import { generateText, wrapLanguageModel } from 'ai';
import type { MockLanguageModelV4 } from 'ai/test';
import { Session, StoredSession } from 'enfold';
import { enfold } from 'enfold/ai-sdk';

declare const given: MockLanguageModelV4;
const folding = enfold({ budget: '8k', session: new Session({ budget: 5 }) });
enfold({ session: await StoredSession.open('sessions.db', 'id') });
const model = wrapLanguageModel({ model: given, middleware: folding.middleware });
await folding.work(() => generateText({ model, prompt: 'x', prepareStep: folding.prepareStep }));
