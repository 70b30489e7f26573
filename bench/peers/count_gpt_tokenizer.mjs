// Counts every text of files of JSON strings with gpt-tokenizer; prints CPU seconds and tokens per set.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [home, ...paths] = process.argv.slice(2);
const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
const start = cpu();
const { countTokens } = await import(pathToFileURL(join(home, "node_modules/gpt-tokenizer/esm/encoding/o200k_base.js")));
countTokens("a");
const load = cpu() - start;

const sets = {};
for (const path of paths) {
  const texts = readFileSync(path, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const begin = cpu();
  let tokens = 0;
  for (const text of texts) tokens += countTokens(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() });
  sets[path] = { seconds: cpu() - begin, tokens };
}
const { version } = createRequire(join(home, "x.js"))("./node_modules/gpt-tokenizer/package.json");
console.log(JSON.stringify({ load, version, sets }));
