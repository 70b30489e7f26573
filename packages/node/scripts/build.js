'use strict';
// Builds the native part and puts it where the package looks for it: `npm run build`. With `--pack FOLDER`, puts it into a package
// of its own for this platform instead, as npm installs it. `--target TRIPLE NAME` builds for another platform.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { platform } = require('../lib/platform.js');

const here = path.join(__dirname, '..');
const workspace = path.join(here, '..', '..');

/** What cargo calls a library, by the name of the platform's package. */
function libraryName(name) {
  if (name.startsWith('win32')) return 'enfold_node.dll';
  return name.startsWith('darwin') ? 'libenfold_node.dylib' : 'libenfold_node.so';
}

/** Builds for users; the path of the library. */
function build(triple, name) {
  const target = triple === undefined ? [] : ['--target', triple];
  execFileSync('cargo', ['build', '--release', '--package', 'enfold-node', ...target], { cwd: workspace, stdio: 'inherit' });
  const folder = process.env.CARGO_TARGET_DIR ?? path.join(workspace, 'target');
  return path.join(folder, triple ?? '', 'release', libraryName(name));
}

/** A package that holds nothing but the native part for one platform. */
function pack(library, name, folder) {
  const main = JSON.parse(fs.readFileSync(path.join(here, 'package.json'), 'utf8'));
  const [os, cpu, libc] = name.split('-');
  const about = {
    name: `enfold-${name}`,
    version: main.version,
    description: `The native part of enfold for ${name}.`,
    license: main.license,
    engines: main.engines,
    main: 'enfold.node',
    os: [os],
    cpu: [cpu],
    ...(os === 'linux' && { libc: [libc === 'musl' ? 'musl' : 'glibc'] }),
  };
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  fs.copyFileSync(library, path.join(folder, 'enfold.node'));
}

function main(words) {
  const target = words.indexOf('--target');
  const [triple, name] = target < 0 ? [undefined, platform()] : words.slice(target + 1, target + 3);
  const folder = words.indexOf('--pack');
  const library = build(triple, name);
  if (folder >= 0) pack(library, name, path.resolve(words[folder + 1]));
  else fs.copyFileSync(library, path.join(here, 'enfold.node'));
}

main(process.argv.slice(2));
