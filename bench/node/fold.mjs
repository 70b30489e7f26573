// Times the Node package on a session of JSON lines: `fold.mjs SESSION BUDGET RUNS`. Prints JSON; CPU milliseconds of the main thread,
// which is what holds up the event loop (Linux). To be copied to where `enfold` and `ai` are installed.
import { readFileSync } from 'node:fs';

import { pruneMessages } from 'ai';
import * as enfold from 'enfold';

const [path, budget, runs] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const read = () => readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));

// Tokens that a step usually adds. Counting more takes its time, wherever it is done.
const SMALL = 2_000;

/** CPU time of the main thread so far: other programs do not count, nor threads that compile or collect beside it. */
function main() {
  // Linux brings a thread's own figure up to date when it is asked for the process's; else it is a tick (1 to 4 ms) old.
  process.cpuUsage();
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** CPU time of what does not wait. */
function timed(work) {
  const start = main();
  const result = work();
  return [main() - start, result];
}

/** The longest stretch without a turn for others while a promise is kept, in CPU time of the main thread. */
async function held(work) {
  let [longest, last, isDone] = [0, main(), false];
  const turn = () => {
    const now = main();
    [longest, last] = [Math.max(longest, now - last), now];
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isDone = true;
  return Math.max(longest, main() - last);
}

function median(times) {
  return times.sort((one, other) => one - other)[times.length >> 1];
}

function repeated(work) {
  return median(Array.from({ length: runs }, () => timed(work)[0]));
}

const messages = read();
enfold.countText('loads the vocabulary');
const fold = repeated(() => enfold.foldSync(messages, { budget }));
const fits = repeated(() => enfold.foldSync(messages, { budget: 1e9 }));

// Request after request over the last hundred steps: only what is new is converted.
const session = new enfold.Session({ budget });
session.prepareSync(messages.slice(0, -200));
const tokens = (list) => list.reduce((sum, message) => sum + enfold.countText(JSON.stringify(message)), 0);
const [warm, opened] = [[], []];
for (let end = messages.length - 200; end <= messages.length; end += 2) {
  const added = tokens(messages.slice(session.length, end));
  const [took, view] = timed(() => session.prepareSync(messages.slice(0, end)));
  (view.opened === undefined ? warm : opened).push({ took, added });
}
const times = (requests) => requests.map(({ took }) => took);
const slow = warm.reduce((one, other) => (other.took > one.took ? other : one));
const small = warm.filter(({ added }) => added <= SMALL);

const [stretches, sessions] = [[], []];
for (let run = 0; run < runs; run++) {
  const [fresh, live] = [read(), new enfold.Session({ budget })];
  stretches.push(await held(() => enfold.fold(fresh, { budget })));
  sessions.push(await held(() => live.prepare(fresh)));
}

const { messages: modelMessages } = enfold.convertSync(messages, 'ai-sdk');
const prune = repeated(() => pruneMessages({ messages: modelMessages, reasoning: 'all', toolCalls: 'before-last-20-messages' }));

console.log(
  JSON.stringify({
    messages: messages.length,
    tokens: enfold.countSync(messages),
    fold,
    fits,
    warm: median(times(warm)),
    warm_worst: slow.took,
    warm_worst_new: slow.added,
    warm_small_worst: Math.max(...times(small)),
    warm_small_requests: small.length,
    warm_requests: warm.length,
    epoch_worst: Math.max(0, ...times(opened)),
    held_fold: median(stretches),
    held_fold_worst: Math.max(...stretches),
    held_prepare: median(sessions),
    held_prepare_worst: Math.max(...sessions),
    prune,
  }),
);
