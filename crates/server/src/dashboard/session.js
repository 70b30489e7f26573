// One session while it runs: how full the window is, what became of each message, what it cost and why.
import { get } from "./wire.js";
import { ago, card, dollars, gauge, make, number, section, short, state, times } from "./words.js";
import { debug } from "./debug.js";
import { explain } from "./explain.js";
import { items } from "./items.js";
import { ledger } from "./ledger.js";
import { money } from "./money.js";
import { strip } from "./strip.js";

export const session = (id) => {
  const at = `/api/sessions/${id}`;
  const head = make("header");
  const window = section("The window", "what the model is sent now; the line is what views keep below");
  const measured = make("div");
  window.append(measured);
  const list = items(id);
  const drawn = strip((nth) => list.jump(nth));
  const [paid, passes, facts, events] = [money(), explain(), ledger(), debug()];
  list.onHits = drawn.hits;
  const element = make("div", "", head, window, drawn.element, paid.element, passes.element, facts.element, list.element, events.element);

  // The messages as far as they are known here. Within an epoch only new ones are asked for.
  let known = { messages: [], opened: [], epoch: null, revision: null, total: 0 };
  const grow = async () => {
    const more = await get(`${at}/strip?from=${known.messages.length}`);
    const isSame = more.epoch === known.epoch && more.revision === known.revision && more.total >= known.messages.length;
    if (known.messages.length && !isSame) {
      known = await get(`${at}/strip`);
    } else {
      known = { ...more, opened: known.messages.length ? known.opened : more.opened, messages: [...known.messages, ...more.messages] };
    }
    drawn.draw(known);
    list.show(known);
  };

  const refresh = async () => {
    const row = await get(at);
    describe(head, row);
    measure(measured, row);
    await grow();
    const [sums, trace, folds, book] = await Promise.all(["money", "trace", "folds", "ledger"].map((what) => get(`${at}/${what}`)));
    paid.show(sums);
    passes.show(trace.trace, folds.epochs);
    facts.show(book);
    if (!events.hasPast) events.past((await get(`${at}/events`)).events);
    events.show(row);
  };
  const concerns = (event) => event.session === id;
  const hear = (event) => concerns(event) && events.hear(event);
  return { name: "session", element, refresh, concerns, hear };
};

const describe = (head, row) => {
  const about = [row.wire, `policy ${row.policy}`, times(row.messages, "message"), `last seen ${ago(row.updated)}`];
  head.replaceChildren(
    make("h1", "", row.agent || "client", " ", make("small", "", row.model ?? "unknown model"), " ", state(row.state)),
    make("p", "", about.join(" · ")));
};

const measure = (box, row) => {
  const { tokens, history, limit, window, money, usage, folds, compactions } = row;
  const axis = make("p", "axis", make("span", "", "0"), make("span", "", `views keep below ${number(limit)}`), make("span", "", number(window)));
  box.replaceChildren(
    gauge(tokens, limit, window), axis,
    make("div", "cards",
      card(number(tokens), "tokens now"),
      card(number(history), "happened so far"),
      card(short(money.saved), money.observed ? "could have been saved" : "tokens not sent"),
      card(number(usage.responses), usage.responses === 1 ? "answer" : "answers"),
      card(number(folds), `folds, ${times(compactions, "epoch")}`),
      card(dollars(money.paid), `without: ${dollars(money.without)}`)));
};
