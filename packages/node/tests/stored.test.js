'use strict';
// What a database knows of a session, and what happens while a model is asked.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');

const { enfold, root } = require('./enfold.js');
const { chat } = require('./histories.js');

const folder = () => fs.mkdtempSync(path.join(os.tmpdir(), 'enfold-'));
const database = () => path.join(folder(), 's.db');
const summarize = { policy: 'summarize', budget: 8_000, format: 'openai-chat' };
const { open } = enfold.StoredSession;

test('what was compacted is marked with its time, and listed', async () => {
  const heard = [];
  const stored = await open(database(), 's', { ...summarize, onEvent: (event) => heard.push(event) });
  const view = await stored.prepare(chat(30));
  await stored.prepare(chat(31));
  const about = await stored.about();
  assert.deepEqual([about.compactions, about.epochs[0].opened, about.lease], [1, 'overflow', null]);
  assert.ok(about.compacted);
  const { messages } = await stored.compacted();
  const hidden = messages.filter((fate) => fate.hidden).map((fate) => fate.number - 1);
  assert.deepEqual(hidden, view.dropped.map(({ message }) => message));
  const since = await stored.compacted({ sinceCompaction: true });
  assert.deepEqual(since.messages.map(({ number }) => number), [62, 63]);
  const { data } = heard.find(({ type }) => type === 'compaction:complete');
  assert.deepEqual(data.compacted, hidden);
  assert.ok(view.messages[1].content.includes(data.summary));
});

test('what was sent last comes back in another process', async () => {
  const file = database();
  const view = await (await open(file, 's', summarize)).prepare(chat(30));
  const again = await open(file, 's', summarize);
  assert.deepEqual(await again.lastView(), view.messages);
  assert.equal(again.length, 61);
});

test('rounds go on from the store', async () => {
  const file = database();
  const first = await (await open(file, 's', summarize)).prepare(chat(20));
  const second = await (await open(file, 's', summarize)).prepare(chat(40));
  assert.deepEqual([first.report.summary.round, second.report.summary.round], [1, 2]);
});

test('what is pushed is stored when the call is done', async () => {
  const file = database();
  const agent = `
    const enfold = require(${JSON.stringify(root)});
    enfold.StoredSession.open(process.argv[1], 's', { budget: 8000, format: 'openai-chat' }).then(async (session) => {
      for (let nth = 0; nth < 7; nth++) await session.push({ role: 'user', content: 'message ' + nth });
      process.kill(process.pid, 'SIGKILL');
    });`;
  assert.equal(spawnSync(process.execPath, ['-e', agent, file]).signal, 'SIGKILL');
  assert.equal((await open(file, 's', { budget: 8_000 })).length, 7);
});

test('what the provider charged is kept', async () => {
  const stored = await open(database(), 's', summarize);
  await stored.prepare(chat(3));
  await stored.report({ inputTokens: 900, cacheRead: 100, cacheWrite: 50, outputTokens: 20 });
  await stored.prepare(chat(4));
  const { usage } = await stored.about();
  assert.deepEqual([usage.input, usage.cacheRead, usage.cacheWrite, usage.output], [900, 100, 50, 20]);
});

test('a stored session needs pruning or not', async () => {
  const stored = await open(database(), 's', { budget: 50_000, format: 'openai-chat' });
  await stored.prepare(chat(20));
  assert.equal(await stored.needsPruning(), false);
  assert.equal((await stored.pruning()).outputs, 0);
});

test('originals become files that the view names', async () => {
  const blobs = path.join(folder(), 'originals');
  const stored = await open(database(), 's', { budget: 12_000, format: 'openai-chat', policy: 'microcompact', blobs });
  const view = await stored.prepare(chat(30));
  assert.ok(view.texts.some((text) => text.includes(blobs)));
  const files = new Set(fs.readdirSync(blobs).map((name) => fs.readFileSync(path.join(blobs, name), 'utf8')));
  for (const nth of [2, 4, 6]) assert.ok(files.has(chat(30)[nth].content), `${nth}`);
});

test('originals become files whatever their category', async () => {
  const read = JSON.parse(JSON.stringify(chat(30)).replaceAll('"bash"', '"read_file"').replaceAll('command', 'path'));
  const blobs = path.join(folder(), 'originals');
  const stored = await open(database(), 's', { budget: 12_000, format: 'openai-chat', policy: 'microcompact', blobs });
  await stored.prepare(read);
  const files = new Set(fs.readdirSync(blobs).map((name) => fs.readFileSync(path.join(blobs, name), 'utf8')));
  for (const nth of [2, 4, 6]) assert.ok(files.has(read[nth].content), `${nth}`);
});

test('where originals cannot be written the fold is the plain one', async () => {
  const blobs = path.join(folder(), 'file');
  fs.writeFileSync(blobs, 'no folder');
  const stored = await open(database(), 's', { budget: 12_000, format: 'openai-chat', policy: 'microcompact', blobs });
  const view = await stored.prepare(chat(30));
  assert.ok(view.tokens <= 12_000 && view.originals.size > 0);
  assert.ok(!view.texts.some((text) => text.includes(blobs)));
});

test('pruning runs when the work ends, also by an error', async () => {
  const file = database();
  const prune = { policy: 'prune', pruneProtect: 1_000, pruneMinimum: 500, minTurnsToKeep: 0, target: 0.2 };
  const options = { budget: 20_000, format: 'openai-chat', ...prune };
  const stored = await open(file, 's', options);
  const work = stored.work(async () => {
    await stored.prepare(chat(15));
    throw new RangeError('the agent failed');
  });
  await assert.rejects(work, RangeError);
  assert.equal((await stored.about()).epochs.at(-1).opened, 'settled');
});

test('who prepares during a compaction waits and is then told', async () => {
  const file = database();
  const heard = [];
  let asked;
  const isAsked = new Promise((resolve) => { asked = resolve; });
  const server = http.createServer((_, response) => asked(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const asking = { summarizer: 'openai:gpt-4o-mini', summarizerUrl: `http://127.0.0.1:${server.address().port}/v1` };
  const first = await open(file, 's', { ...summarize, ...asking, onEvent: ({ type }) => heard.push(type) });
  const preparing = first.prepare(chat(30));
  const response = await isAsked;
  const second = await open(file, 's', { ...summarize, patienceSeconds: 0.1 });
  assert.ok((await second.about()).lease, 'it says that it is being compacted');
  await assert.rejects(second.prepare(chat(30)), enfold.Busy);
  response.writeHead(401).end();
  const view = await preparing;
  server.close();
  assert.ok(heard.includes('summary:failed'));
  assert.ok(view.messages[1].content.includes('<enfold-ledger>'), 'the agent goes on without the model');
});
