// Times the Node package on a session of JSON lines: `fold.mjs SESSION BUDGET RUNS`. Prints JSON; CPU milliseconds of the process, and
// how long the event loop was held at a stretch (Linux). To be copied to where `enfold` and `ai` are installed.
import { readFileSync } from 'node:fs';

import { pruneMessages } from 'ai';
import * as enfold from 'enfold';

const [path, budget, runs] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const read = () => readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));

/** CPU time of what does not wait. */
function timed(work) {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  return [(user + system) / 1e3, result];
}

/** CPU time of the main thread so far, as Linux tells it, in steps of a tick (1 to 4 ms): other programs do not count. */
function main() {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
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
const [warm, opened] = [[], []];
for (let end = messages.length - 200; end <= messages.length; end += 2) {
  const [took, view] = timed(() => session.prepareSync(messages.slice(0, end)));
  (view.opened === undefined ? warm : opened).push(took);
}

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
    warm: median(warm),
    warm_worst: Math.max(...warm),
    warm_requests: warm.length,
    epoch_worst: Math.max(0, ...opened),
    held_fold: median(stretches),
    held_prepare: median(sessions),
    prune,
  }),
);
