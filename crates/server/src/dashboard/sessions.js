// The list of sessions, the one used last first.
import { get } from "./wire.js";
import { ago, card, dollars, gauge, make, number, short, state, times } from "./words.js";

export const list = () => {
  const element = make("div");
  let [sums, rows] = [null, make("section", "", "…")];

  const refresh = async () => {
    const [totals, { sessions, total }] = await Promise.all([get("/api/totals"), get("/api/sessions?limit=100")]);
    if (!sessions.length) return element.replaceChildren(newcomer());
    sums = cards(totals, sessions, total);
    rows = make("section", "sessions", ...sessions.map(row));
    if (total > sessions.length) rows.append(make("p", "more", `${times(total - sessions.length, "older session")} in the store`));
    // Whoever walks the list by keyboard stays where they are.
    const focused = document.activeElement?.getAttribute("href");
    element.replaceChildren(sums, rows);
    if (focused) element.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  };
  return { name: "sessions", element, refresh, concerns: () => true };
};

const cards = (totals, sessions, total) => {
  const sum = (of) => sessions.reduce((sum, session) => sum + (of(session) ?? 0), 0);
  const [paid, without] = [sum((session) => session.money.paid), sum((session) => session.money.without)];
  const less = without > 0 ? `${Math.round((1 - paid / without) * 100)} % less than ` : "against ";
  return make("section", "", make("div", "cards",
    card(number(total), total === 1 ? "session" : "sessions"),
    card(number(sum((session) => session.usage.responses)), "answers"),
    card(short(sum((session) => session.money.saved)), "tokens not sent"),
    card(dollars(paid), "paid"),
    card(dollars(without), "without Enfold"),
    card(number(totals.epochs), "epochs since start"),
  ), make("p", "more", `${less}the same requests unfolded`));
};

const row = (session) => {
  const { id, agent, model, tokens, limit, window, money, usage, folds, compactions } = session;
  const name = make("span", "who", make("b", "", agent || "client"), make("small", "", model ?? "unknown model"));
  const room = make("span", "room", gauge(tokens, limit, window), make("small", "", `${short(tokens)} of ${short(window)} tokens`));
  const cell = (value, name) => make("span", "num", make("b", "", value), make("small", "", name));
  const link = make("a", "session", name, room,
    cell(number(usage.responses), usage.responses === 1 ? "answer" : "answers"),
    cell(number(folds), `folds, ${times(compactions, "epoch")}`),
    cell(dollars(money.paid), `without: ${dollars(money.without)}`),
    make("span", "seen-at", state(session.state), make("small", "", ago(session.updated))));
  link.href = `#/s/${id}`;
  return link;
};

const newcomer = () => {
  const command = (text) => make("pre", "type", text);
  return make("section", "newcomer",
    make("h2", "", "No session yet"),
    make("p", "", "Start an agent through Enfold, as always with two words more:"),
    command("enfold run -- claude"),
    make("p", "", "or point one that is running elsewhere at this server:"),
    command(`export ANTHROPIC_BASE_URL=${location.origin}\nexport OPENAI_BASE_URL=${location.origin}/v1`),
    make("p", "", "Its session appears here with its first request, and everything on this page moves by itself."));
};
