'use strict';
// Runs the snippets of a page, one after the other, as a reader would. They see what is installed where these tests stand.

const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const { repository } = require('./enfold.js');

/** How many snippets there were. Each may use what those before it defined. */
async function run(page) {
  const text = fs.readFileSync(path.join(repository, page), 'utf8');
  const snippets = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, snippet]) => snippet);
  const file = path.join(__dirname, `page-${path.basename(page, '.md')}-${process.pid}.mjs`);
  fs.writeFileSync(file, snippets.join('\n'));
  try {
    await import(pathToFileURL(file));
  } finally {
    fs.rmSync(file);
  }
  return snippets.length;
}

module.exports = { run };
