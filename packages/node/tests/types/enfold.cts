// The types hold for `require`, too.
import enfold = require('enfold');
import { enfold as hook } from 'enfold/ai-sdk';

const view: enfold.View<{ role: string }> = enfold.foldSync([{ role: 'user' }], { budget: 5 });
const tokens: number = view.tokens;
const stored: Promise<enfold.StoredSession> = enfold.StoredSession.open('sessions.db', 'id', { budget: `${tokens}` });
hook({ budget: '8k', onEvent: (event) => void (event.type === 'prune:complete' && event.data.prunedTools.length) });
const set: enfold.FoldOnceOptions = { budget: '8k', policy: 'retention', maxFileReads: 3, bashTruncate: 2_000, categories: { weather: 'ephemeral' } };
const gone: enfold.Dropped[] = enfold.foldSync([{ role: 'user' }], { ...set, reserves: { output: 'model' }, cache: 'warm' }).dropped;
const state: 'whole' | 'partial' | 'absent' | 'unknown' = enfold.fileAtSync([], 'a.ts', { turn: 1 }).content;
const needed: boolean = enfold.needsPruningSync([], { pruneProtect: 1_000, tokenizer: 'heuristic' });
const asking: { name: string }[] = enfold.addIntent([{ name: 'edit_file' }]);
new enfold.Session({ model: 'gpt-4o', threshold: 0.8, ownTools: [{ name: 'peek', does: 'read' }] }).markModified('a.ts');
// @ts-expect-error: no such category
enfold.foldSync([], { budget: 5, categories: { weather: 'forever' } });
// @ts-expect-error: no such setting
new enfold.Session({ budget: 5, maxFileRead: 3 });
// @ts-expect-error: an option of one fold, not of a session
new enfold.Session({ budget: 5, cache: 'warm' });
// @ts-expect-error: no such option
enfold.foldSync([{ role: 'user' }], { budgte: 5 });
// @ts-expect-error: a view is not made by hand
new enfold.View();
void [stored, gone, state, needed, asking];
