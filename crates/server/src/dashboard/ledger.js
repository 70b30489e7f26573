// What the session is about and how far it has come, as code found it.
import { make, number, section, times } from "./words.js";

const MOST = 8;

export const ledger = () => {
  const box = make("div", "ledger");
  const element = section("Ledger", "facts found by code: task, plan, files, commands, errors", box);
  element.id = "ledger";
  const show = (book) => box.replaceChildren(...parts(book));
  return { element, show };
};

const parts = ({ task, requests, todo, files, commands, errors, pending }) => [
  ...(task ? [block("task", [make("p", "task", task)])] : []),
  ...listed("asked since", requests.slice(1).reverse(), (request) => [request.text, request.answered ? "answered" : request.interrupted ? "interrupted" : "open"]),
  ...listed("plan", todo, (entry) => [entry.text, entry.state]),
  ...listed("waiting for", pending, (call) => [`${call.tool} ${call.arguments}`, `step ${call.step}`]),
  ...listed("errors", errors, (error) => [`${error.what}: ${error.says}`, error.resolved ? `resolved at step ${error.resolved.step}` : `step ${error.step}`]),
  ...listed("files", files, (file) => [file.path, [file.reads && times(file.reads, "read"), file.changes && times(file.changes, "change"), file.deleted && "deleted"].filter(Boolean).join(", ")]),
  ...listed("commands", commands, (command) => [command.command, [times(command.runs, "run"), command.failed && "failed"].filter(Boolean).join(", ")]),
];

const block = (title, children) => make("div", "part", make("h3", "", title), ...children);

const listed = (title, entries, of) => {
  if (!entries.length) return [];
  const rows = entries.slice(0, MOST).map((entry) => {
    const [what, state] = of(entry);
    return make("p", "entry", make("span", "", what.slice(0, 300)), make("small", "", state));
  });
  if (entries.length > MOST) rows.push(make("p", "more", `${number(entries.length - MOST)} more`));
  return [block(title, rows)];
};
