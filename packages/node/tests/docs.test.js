'use strict';
// What the pages say is true. They import `enfold` by name, so they run where it is installed.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { test } = require('node:test');

const { repository, root } = require('./enfold.js');
const pages = require('./pages.js');

const skip = root.includes('node_modules') ? false : 'the package is not installed here: cargo xtask packages --quick';

test('the page runs', { skip }, async () => {
  assert.equal(await pages.run('docs/node.md'), 10);
});

test('the readme runs', { skip }, async () => {
  assert.equal(await pages.run('packages/node/README.md'), 1);
});

test('the example agent runs offline', { skip }, () => {
  const agent = path.join(repository, 'packages', 'node', 'examples', 'agent.mjs');
  const here = path.join(__dirname, `agent-${process.pid}.mjs`);
  require('node:fs').copyFileSync(agent, here);
  const ran = spawnSync(process.execPath, [here], { encoding: 'utf8' });
  require('node:fs').rmSync(here);
  assert.equal(ran.status, 0, ran.stderr);
  assert.match(ran.stdout, /every request valid and within 16,000 tokens/);
});
