'use strict';
// The contract: the same bytes as Rust gives. `packages/contract/README.md` says how cases look.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const { answer, keys, snake } = require('./calls.js');
const { enfold, repository } = require('./enfold.js');

const CASES = path.join(repository, 'packages', 'contract', 'cases');
const names = fs.readdirSync(CASES).filter((name) => !name.endsWith('.expected.json')).sort();

async function run({ call, messages, options, ends, to, with: beside }) {
  if (call === 'fold') return whole(await enfold.fold(messages, options));
  if (call === 'session') {
    const session = new enfold.Session(options);
    const views = [];
    for (const end of ends) views.push(grown(await session.prepare(messages.slice(0, end))));
    return views;
  }
  if (call !== 'look') return answer({ call, options, with: beside }, messages);
  const converted = await enfold.convert(messages, to);
  return {
    tokens: await enfold.count(messages),
    inspect: await enfold.inspect(messages),
    findings: await enfold.validate(messages),
    ledger: await enfold.ledger(messages, { tokens: 500 }),
    converted: converted.messages.map((message) => JSON.stringify(message)),
    losses: converted.losses,
  };
}

function whole(view) {
  const { format, tokens, texts, trace } = view;
  const originals = Object.fromEntries(view.originals);
  const [dropped, shortened] = [view.dropped, view.shortened].map((listed) => keys(listed, snake));
  return { format, system: view.system ?? null, tokens, texts, origins: origins(view), originals, trace, dropped, shortened };
}

function grown(view) {
  const { format, tokens, epoch, unchanged } = view;
  const texts = view.texts.slice(unchanged);
  return { format, tokens, epoch, opened: view.opened ?? null, unchanged, texts, origins: origins(view), events: view.events };
}

const origins = (view) => view.origins.map(({ kind, index }) => [kind, index ?? null]);

for (const name of names) {
  test(`${name} gives what Rust gives`, async () => {
    const read = (file) => JSON.parse(fs.readFileSync(path.join(CASES, file), 'utf8'));
    assert.deepEqual(await run(read(name)), read(name.replace('.json', '.expected.json')));
  });
}

test('there are cases', () => assert.ok(names.length >= 29, `${names.length}`));
