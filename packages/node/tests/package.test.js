'use strict';
// What the package promises about itself: types that are true, both kinds of modules, the command.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { test } = require('node:test');

const { enfold, repository, root } = require('./enfold.js');
const { chat } = require('./histories.js');

/** What the types say: the names that exist when the program runs, and the members of its classes. */
function said() {
  const types = fs.readFileSync(path.join(root, 'lib', 'index.d.ts'), 'utf8');
  const functions = [...types.matchAll(/^export function (\w+)/gm)].map(([, name]) => [name, 'function']);
  const classes = [...types.matchAll(/^export class (\w+)[^{]*\{(\}$|.*?^\}$)/gms)].map(([, name, body]) => {
    const members = [...body.matchAll(/^ {2}(?:readonly )?(\w+)(?:<\w+>)?[(:]/gm)].map(([, member]) => member);
    return [name, members.filter((member) => member !== 'constructor').sort()];
  });
  return Object.fromEntries([...functions, ...classes]);
}

/** What there is. */
function real() {
  const members = (kind) => Object.getOwnPropertyNames(kind.prototype).filter((member) => member !== 'constructor').sort();
  const isClass = (value) => /^class /.test(Function.prototype.toString.call(value));
  return Object.fromEntries(Object.entries(enfold).map(([name, it]) => [name, isClass(it) ? members(it) : 'function']));
}

// Set by a constructor, so that no prototype has them.
const OWN = { EnfoldError: ['code', 'messageIndex'], StoredSession: ['id'] };

test('the types say what the module has', () => {
  const types = said();
  for (const [name, own] of Object.entries(OWN)) types[name] = types[name].filter((member) => !own.includes(member));
  const sorted = (names) => Object.fromEntries(Object.entries(names).sort());
  assert.deepEqual(sorted(types), sorted(real()));
});

test('everything the types say is documented', () => {
  const lines = fs.readFileSync(path.join(root, 'lib', 'index.d.ts'), 'utf8').split('\n');
  const isBare = (line, nth) => /^export |^ {2}(readonly )?\w+.*;$/.test(line) && !/\*\/\s*$/.test(lines[nth - 1] ?? '');
  const undocumented = lines.filter((line, nth) => isBare(line, nth) && /^export|\(/.test(line));
  assert.deepEqual(undocumented.filter((line) => !/constructor/.test(line)), []);
});

test('the types of the hooks say what there is', () => {
  for (const hook of ['ai-sdk', 'mastra', 'openai-agents']) {
    const types = fs.readFileSync(path.join(root, 'hooks', `${hook}.d.ts`), 'utf8');
    const functions = [...types.matchAll(/^export function (\w+)/gm)].map(([, name]) => name);
    const module = require(path.join(root, 'hooks', `${hook}.js`));
    assert.deepEqual(functions, Object.keys(module));
  }
  const { enfold: fold } = require(path.join(root, 'hooks', 'ai-sdk.js'));
  const folding = fold({ budget: 8_000 });
  const there = [...Object.keys(folding), ...Object.getOwnPropertyNames(Object.getPrototypeOf(folding))].sort();
  const types = fs.readFileSync(path.join(root, 'hooks', 'ai-sdk.d.ts'), 'utf8');
  const [, body] = types.match(/^export interface Folding \{(.*?)^\}/ms);
  const said = [...body.matchAll(/^ {2}(?:readonly )?(\w+)(?:<\w+>)?[(:]/gm)].map(([, name]) => name);
  assert.deepEqual([...said, 'constructor'].sort(), there);
});

test('import and require give the same', async () => {
  const imported = await import(pathToFileURL(path.join(root, 'lib', 'index.mjs')));
  assert.deepEqual(Object.keys(imported).sort(), Object.keys(enfold).sort());
  assert.ok(Object.entries(imported).every(([name, it]) => enfold[name] === it));
});

test('the command comes with the package', () => {
  const session = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'enfold-')), 'session.jsonl');
  const text = chat(30).map((message) => JSON.stringify(message)).join('\n');
  fs.writeFileSync(session, text);
  const run = (...words) => spawnSync(process.execPath, [path.join(root, 'bin', 'enfold.js'), ...words], { encoding: 'utf8' });
  const folded = run('fold', session, '--budget', '6k', '--report', 'none');
  assert.equal(folded.status, 0, folded.stderr);
  assert.deepEqual(folded.stdout.trimEnd().split('\n'), enfold.foldSync(text, { budget: 6_000 }).texts);
  assert.equal(run('fold', session, '--budget', '1').status, 3);
  assert.equal(run('nonsense').status, 2);
  assert.match(run('--version').stdout, /enfold/);
});

test('there is one version, and a package of the native part for each platform that is released', () => {
  const read = (...file) => fs.readFileSync(path.join(repository, ...file), 'utf8');
  const { version, optionalDependencies } = JSON.parse(read('packages', 'node', 'package.json'));
  assert.equal(read('Cargo.toml').match(/^version = "(.+)"$/m)[1], version);
  const released = [...read('.github', 'workflows', 'release.yml').matchAll(/platform: ([a-z0-9-]+) \}/g)];
  const packages = released.map(([, platform]) => [`enfold-${platform}`, version]).sort();
  assert.deepEqual(Object.entries(optionalDependencies).sort(), packages);
});
