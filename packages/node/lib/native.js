'use strict';
// The native part: beside this file in a checkout, in a package of its own for each platform where it was installed by npm.

const fs = require('node:fs');
const path = require('node:path');

const { platform } = require('./platform.js');

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
