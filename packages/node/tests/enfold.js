'use strict';
// The package under test: the one that ENFOLD_PACKAGE names (where `cargo xtask packages` has installed it), else this checkout's.

const path = require('node:path');

const root = process.env.ENFOLD_PACKAGE ?? path.join(__dirname, '..');

module.exports = { enfold: require(root), root };
