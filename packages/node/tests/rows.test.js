'use strict';
// What the source documents ask, row by row: `docs/documents.md` names each. `packages/contract/README.md` says how rows look.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const { answer, found } = require('./calls.js');
const { repository } = require('./enfold.js');

const ROWS = path.join(repository, 'packages', 'contract', 'rows');
const files = fs.readdirSync(ROWS).map((name) => JSON.parse(fs.readFileSync(path.join(ROWS, name), 'utf8')));
const rows = files.flatMap(({ sessions, rows: ofFile }) => ofFile.map((row) => ({ row, messages: sessions[row.session] ?? [] })));

/** Fails unless what was found is as the check says. */
function holds(seen, { at, ...check }) {
  const [[kind, wanted]] = Object.entries(check);
  const text = typeof seen === 'string' ? seen : JSON.stringify(seen);
  const fits = {
    is: () => assert.deepEqual(seen, wanted, at),
    has: () => assert.ok(text.includes(wanted), `${at} has no ${wanted}: ${text}`),
    lacks: () => assert.ok(!text.includes(wanted), `${at} has ${wanted}: ${text}`),
    count: () => assert.equal(seen.length, wanted, `${at}: ${text}`),
    at_most: () => assert.ok(seen <= wanted, `${at}: ${text}`),
    at_least: () => assert.ok(seen >= wanted, `${at}: ${text}`),
  };
  fits[kind]();
}

for (const { row, messages } of rows) {
  test(row.name, async () => {
    const came = await answer(row, messages);
    assert.ok(row.checks.length > 0, 'a row without a check says nothing');
    for (const check of row.checks) holds(found(came, check.at), check);
  });
}

test('there are rows', () => assert.ok(rows.length >= 100, `${rows.length}`));
