'use strict';
// The package under test: the one that is installed where these tests stand (`cargo xtask packages` copies them there), else this
// checkout's.

const path = require('node:path');

function found() {
  try {
    return path.dirname(require.resolve('enfold/package.json'));
  } catch {
    return path.join(__dirname, '..');
  }
}

const root = found();

module.exports = { enfold: require(root), root };
