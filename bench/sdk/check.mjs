// What npm's `ai` says about messages: the schemas of its ModelMessage, and the prompt that it makes of them for a model.
//
// Reads lines of `{"format": "ai-sdk", "request": …}` and answers each with a line: a list of complaints, empty where
// `generateText` takes the messages to a model. The model is a stub that records nothing and answers "ok".
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { generateText } = await import(pathToFileURL(join(process.argv[2], "node_modules/ai/dist/index.mjs")));
const none = { total: 0 };
const model = {
  specificationVersion: "v3", provider: "none", modelId: "none",
  supportedUrls: { "*/*": [/.*/] },  // or it would download images
  doGenerate: async () => ({
    content: [{ type: "text", text: "ok" }], finishReason: { unified: "stop" }, usage: { inputTokens: none, outputTokens: none }, warnings: [],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await complaints(JSON.parse(line).request)));
}

async function complaints({ system, messages }) {
  try {
    await generateText({ model, system, messages, allowSystemInMessages: true, maxRetries: 0 });
    return [];
  } catch (refused) {
    const issues = issuesOf(refused);
    if (!issues) return [["messages", `${refused.name}: ${refused.message}`.slice(0, 120)]];
    const first = new Map(issues.map((issue) => [issue.path[0], issue]).reverse());
    return [...first.values()].map(deepest).map(({ path, message }) => [["messages", ...path].join("."), message]);
  }
}

/** The schema's issues, which stand some causes below the error. */
function issuesOf(error) {
  return error && (error.issues ?? issuesOf(error.cause));
}

/** Of a union, the member of the value's own `type` or `role`; of a string or a list, the list. */
function deepest({ path, message, errors }) {
  const members = (errors ?? []).filter((member) => !member.some(isOtherKind));
  if (errors && !members.length) return { path, message: "a type or role that the package does not know" };
  const inner = members.flat().map((issue) => deepest({ ...issue, path: [...path, ...issue.path] }));
  return inner.reduce((best, one) => (one.path.length > best.path.length ? one : best), { path, message });
}

function isOtherKind({ code, path }) {
  return code === "invalid_value" && path.length === 1 && ["type", "role"].includes(path[0]);
}
