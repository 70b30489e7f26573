'use strict';
// The native part: beside this file in a checkout, in a package of its own for each platform where it was installed by npm.

const fs = require('node:fs');
const path = require('node:path');

/** `linux-x64-gnu`, `darwin-arm64`, …: as the packages are named. */
function platform() {
  const { platform, arch } = process;
  if (platform !== 'linux') return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`;
  const isMusl = !process.report.getReport().header.glibcVersionRuntime;
  return `linux-${arch}-${isMusl ? 'musl' : 'gnu'}`;
}

function load() {
  const built = path.join(__dirname, '..', 'enfold.node');
  if (fs.existsSync(built)) return require(built);
  const name = `enfold-${platform()}`;
  try {
    return require(name);
  } catch (error) {
    const remedy = `install it (npm install ${name}), or build it from a checkout: npm run build`;
    throw new Error(`enfold: the native part for this platform, ${name}, is not there; ${remedy}`, { cause: error });
  }
}

module.exports = load();
