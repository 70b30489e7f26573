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
// Where the cases of the contract and the pages are.
const repository = process.env.ENFOLD_REPOSITORY ?? path.join(__dirname, '..', '..', '..');

module.exports = { enfold: require(root), repository, root };
