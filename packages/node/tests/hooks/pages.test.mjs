// The page of each framework runs, where the framework is installed.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const require = createRequire(import.meta.url);
const pages = require('../pages.js');

const FRAMEWORKS = { 'ai-sdk': 'ai', langchain: 'langchain', mastra: '@mastra/core', 'openai-agents': '@openai/agents', 'pi-agent-core': '@mariozechner/pi-agent-core' };

/** The version that is installed here. */
function installed(name) {
  try {
    return require(`../../node_modules/${name}/package.json`).version;
  } catch {
    return undefined;
  }
}

for (const [page, framework] of Object.entries(FRAMEWORKS)) {
  const version = installed(framework);
  // The page is about the newer AI SDK.
  const skip = version === undefined || (framework === 'ai' && version.startsWith('6.')) ? `not with ${framework} ${version}` : false;
  test(`the page of ${page} runs`, { skip }, async () => {
    assert.equal(await pages.run(`docs/node/${page}.md`), 1);
  });
}
