// The debug panel: is there an overflow, what did the last compaction do, and every event with its numbers as it comes.
import { make, number, section } from "./words.js";

const MOST = 200;

export const debug = () => {
  const [status, values, log] = [make("p", "status"), make("dl", "values"), make("ol", "events")];
  status.setAttribute("role", "status");
  const element = section("Debug panel", "events as they happen, with their numbers", status, values, log);
  element.id = "debug";
  const made = { element, hasPast: false };
  // The newest event of each name.
  const last = {};

  made.past = (events) => {
    made.hasPast = true;
    const past = events.map(({ at, kind, json }) => ({ at, name: kind, data: JSON.parse(json) }));
    past.filter((event) => !(last[event.name]?.at > event.at)).forEach((event) => (last[event.name] = event));
    log.append(...past.slice(-MOST).reverse().map(row));
    while (log.childElementCount > MOST) log.lastChild.remove();
  };

  made.hear = (event) => {
    last[event.name] = event;
    const entry = row(event);
    entry.classList.add("fresh");
    log.prepend(entry);
    while (log.childElementCount > MOST) log.lastChild.remove();
    if (event.name === "compaction:start") say(`compacting: ${number(event.data.tokensBefore)} tokens, ${event.data.reason}…`);
    if (event.name === "compaction:complete") say(`compacted: ${number(event.data.tokensBefore)} → ${number(event.data.tokensAfter)} tokens`);
  };
  const say = (text) => (status.textContent = text);

  made.show = (row) => {
    const [fold, prune, done] = ["fold", "prune:complete", "compaction:complete"].map((name) => last[name]?.data);
    const before = fold?.tokensBefore ?? row.history;
    const final = fold?.tokensAfter ?? row.tokens;
    const all = {
      isOverflow: row.tokens > row.limit,
      currentTokens: row.tokens,
      availableTokens: Math.max(0, row.limit - row.tokens),
      modelLimit: row.window,
      outputReserve: row.window - row.limit,
      "tokens.before": before,
      "tokens.afterPrune": prune?.tokensAfter,
      "tokens.afterCompact": done?.tokensAfter,
      "tokens.final": final,
      wasPruned: done?.wasPruned ?? false,
      wasCompacted: done?.wasSummarized ?? false,
      prunedOutputs: prune?.outputsPruned ?? 0,
      compactedMessages: done?.messagesCompacted ?? 0,
      prunedTools: prune?.prunedTools?.join(", "),
    };
    values.replaceChildren(...Object.entries(all).flatMap(([name, value]) => [make("dt", "", name), make("dd", "", shown(value))]));
  };
  return made;
};

const shown = (value) => (typeof value === "number" ? number(value) : value === undefined || value === null || value === "" ? "–" : String(value));

const row = ({ at, name, data }) => {
  const said = Object.entries(data ?? {}).map(([key, value]) => `${key} ${typeof value === "object" && value !== null ? JSON.stringify(value) : shown(value)}`);
  const time = make("time", "", new Date(at).toLocaleTimeString("en-GB"));
  return make("li", "", time, make("b", name === "error" || name === "overflow" ? "error" : "", name), make("span", "", said.join(" · ").slice(0, 600)));
};
