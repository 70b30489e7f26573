// The types hold for `require`, too.
import enfold = require('enfold');
import { enfold as hook } from 'enfold/ai-sdk';

const view: enfold.View<{ role: string }> = enfold.foldSync([{ role: 'user' }], { budget: 5 });
const tokens: number = view.tokens;
const stored: Promise<enfold.StoredSession> = enfold.StoredSession.open('sessions.db', 'id', { budget: `${tokens}` });
hook({ budget: '8k', onEvent: (event) => void (event.type === 'prune:complete' && event.data.prunedTools.length) });
// @ts-expect-error: no such option
enfold.foldSync([{ role: 'user' }], { budgte: 5 });
// @ts-expect-error: a view is not made by hand
new enfold.View();
void stored;
