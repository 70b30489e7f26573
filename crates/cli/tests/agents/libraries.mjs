// Long sessions by the official Node libraries and by the AI SDK, streamed and not. Prints what a program would see.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { generateText, jsonSchema, streamText, tool } from "ai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";

const STEPS = 14;
const TASK = (how) => `Look at every log and mend what is wrong (${how}).`;
const SCHEMA = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
// A picture of one pixel.
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const key = { apiKey: "dummy-key", maxRetries: 0 };
const [claude, gpt] = ["claude-sonnet-4-5", "gpt-4o"];

const output = (nth) =>
  Array.from({ length: 60 }, (_, line) => `src/part${nth}.rs:${line}: warning: value_${nth}_${line} is never used\n`).join("");

async function messages(stream, thinking) {
  const client = new Anthropic(key);
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } };
  const history = [{ role: "user", content: [image, { type: "text", text: TASK(`messages ${stream} ${!!thinking}`) }] }];
  for (let nth = 0; nth < STEPS; nth++) {
    const asked = {
      model: claude, max_tokens: 4000, system: "You are an agent.", messages: history, ...thinking,
      tools: [{ name: "bash", description: "Runs", input_schema: SCHEMA }],
    };
    const kinds = [];
    let answer;
    if (stream) {
      const events = client.messages.stream(asked);
      for await (const event of events) kinds.push(event.type);
      answer = await events.finalMessage();
    } else answer = await client.messages.create(asked);
    console.log("messages", stream, nth, kinds.join(), answer.content.map((block) => block.type).join(), answer.stop_reason);
    // Thinking must come back as it was; the rest is played out by ourselves, so that it goes on whatever was answered.
    const thought = answer.content.filter((block) => block.type === "thinking");
    history.push({ role: "assistant", content: [...thought, { type: "tool_use", id: `t${nth}`, name: "bash", input: { command: `cat ${nth}` } }] });
    history.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `t${nth}`, content: output(nth) }] });
  }
}

async function chat(stream) {
  const client = new OpenAI(key);
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } };
  const history = [
    { role: "system", content: "You are an agent." },
    { role: "user", content: [{ type: "text", text: TASK(`chat ${stream}`) }, image] },
  ];
  for (let nth = 0; nth < STEPS; nth++) {
    const asked = { model: gpt, messages: history, tools: [{ type: "function", function: { name: "bash", parameters: SCHEMA } }] };
    if (stream) {
      const ends = [];
      for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) ends.push(chunk.choices[0]?.finish_reason);
      console.log("chat", stream, nth, ends.join());
    } else {
      const choice = (await client.chat.completions.create(asked)).choices[0];
      console.log("chat", stream, nth, choice.finish_reason, choice.message.content);
    }
    const call = { id: `c${nth}`, type: "function", function: { name: "bash", arguments: `{"command": "cat ${nth}"}` } };
    history.push({ role: "assistant", content: null, tool_calls: [call] });
    history.push({ role: "tool", tool_call_id: `c${nth}`, content: output(nth) });
  }
}

async function responses(stream) {
  const client = new OpenAI(key);
  const history = [{ role: "user", content: TASK(`responses ${stream}`) }];
  for (let nth = 0; nth < STEPS; nth++) {
    const tools = [{ type: "function", name: "bash", parameters: SCHEMA, strict: false }];
    const asked = { model: gpt, tools, input: history, instructions: "You are an agent.", store: false };
    if (stream) {
      const kinds = [];
      for await (const event of await client.responses.create({ ...asked, stream: true })) kinds.push(event.type);
      console.log("responses", stream, nth, kinds.join());
    } else {
      const answer = await client.responses.create(asked);
      console.log("responses", stream, nth, answer.status, answer.output.map((item) => item.type).join());
    }
    history.push({ type: "function_call", call_id: `c${nth}`, name: "bash", arguments: `{"command": "cat ${nth}"}` });
    history.push({ type: "function_call_output", call_id: `c${nth}`, output: output(nth) });
  }
}

async function aiSdk(name, model, stream) {
  const tools = { bash: tool({ description: "Runs", inputSchema: jsonSchema(SCHEMA) }) };
  const history = [{ role: "user", content: TASK(`ai sdk ${name} ${stream}`) }];
  for (let nth = 0; nth < STEPS; nth++) {
    const asked = { model, tools, messages: history, system: "You are an agent.", maxRetries: 0 };
    if (stream) {
      const kinds = [];
      for await (const part of streamText(asked).fullStream) kinds.push(part.type);
      console.log("ai", name, stream, nth, kinds.join());
    } else {
      const answer = await generateText(asked);
      console.log("ai", name, stream, nth, answer.finishReason, answer.toolCalls.length, answer.text);
    }
    const [id, command] = [`c${nth}`, { command: `cat ${nth}` }];
    history.push({ role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "bash", input: command }] });
    history.push({ role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: "bash", output: { type: "text", value: output(nth) } }] });
  }
}

const anthropic = createAnthropic({ baseURL: `${process.env.ANTHROPIC_BASE_URL}/v1`, apiKey: "dummy-key" });
const openai = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: "dummy-key" });
for (const stream of [false, true]) {
  await messages(stream);
  await messages(stream, { thinking: { type: "enabled", budget_tokens: 2000 } });
  await chat(stream);
  await responses(stream);
  await aiSdk("anthropic", anthropic(claude), stream);
  await aiSdk("chat", openai.chat(gpt), stream);
  await aiSdk("responses", openai.responses(gpt), stream);
}
