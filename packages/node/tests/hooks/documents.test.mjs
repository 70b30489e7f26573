// What the designs in TypeScript that Enfold takes from ask, as their authors would write it: each script is checked and run in an empty
// folder, in which the package and the framework it needs can be found.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Each script, the framework it needs in which version, and what it prints. */
const DOCUMENTS = [
  ['000-priority-trimming', [], [
    /^modified: \/app\/edited\.ts$/, /^system kept: true, recent kept: true$/, /^edited\.ts whole: true, read\.ts whole: false$/,
    /^message 7: priority 50, 1100 tokens, now \d{2,3}$/, /^message 9: priority 40, 8 tokens, dropped$/, /^saved: true$/,
  ]],
  ['001-microcompaction', ['@mariozechner/pi-agent-core', '0.'], [/^warm: 0 trimmed; cold: true, of them as files: true; kept whole: true$/]],
  ['003-compaction-system', ['ai', '6.'], [/^pruned: true, summarized: true, failed: false$/, /^the app keeps all 116 results$/]],
  ['004-compaction-layer', ['ai', '7.'], [
    /^round 1: smaller true$/, /^round 2: smaller true$/, /^steps: 81; task kept: true; newest call there: true$/,
  ]],
];

function installed(name) {
  const about = path.join(root, 'node_modules', name, 'package.json');
  return existsSync(about) ? JSON.parse(readFileSync(about, 'utf8')).version : undefined;
}

/** Checks the types of a script and runs it; what it prints. */
function run(name) {
  const folder = path.join(root, 'empty', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const script = path.join(root, 'documents', `${name}.ts`);
  assert.ok(readFileSync(script, 'utf8').trimEnd().split('\n').length <= 40, 'at most 40 lines');
  copyFileSync(script, path.join(folder, 'index.ts'));
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const tsc = [path.join(root, 'node_modules/typescript/bin/tsc'), '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', '--types', 'node', 'index.ts'];
  execFileSync(process.execPath, tsc, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  return execFileSync(process.execPath, ['index.js'], { cwd: folder, encoding: 'utf8' }).trimEnd().split('\n');
}

const others = DOCUMENTS.some(([, [framework]]) => framework !== undefined && installed(framework) !== undefined);

for (const [name, [framework, version], expected] of DOCUMENTS) {
  const found = framework === undefined ? '' : installed(framework);
  const isHere = installed('typescript') !== undefined && (framework === undefined ? !others : found?.startsWith(version));
  test(`the script of ${name} does what its document does`, { skip: isHere ? false : `not with ${framework} ${found}` }, () => {
    const lines = run(name);
    for (const line of expected) assert.ok(lines.some((printed) => line.test(printed)), `${line} is not in:\n${lines.join('\n')}`);
  });
}
