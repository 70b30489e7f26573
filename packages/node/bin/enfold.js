#!/usr/bin/env node
'use strict';
// The command `enfold`, from inside the package.

const native = require('../lib/native.js');

process.exitCode = native.run(['enfold', ...process.argv.slice(2)]);
