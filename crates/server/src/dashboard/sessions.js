// The list of sessions, the one used last first.
import { get } from "./wire.js";
import { ago, card, dollars, gauge, make, number, short, state, times } from "./words.js";

export const list = () => {
  const element = make("div");
  const [sums, rows, more, links] = [make("section"), make("section", "sessions"), make("p", "more"), new Map()];

  const refresh = async () => {
    const [totals, { sessions, total }] = await Promise.all([get("/api/totals"), get("/api/sessions?limit=100")]);
    if (!sessions.length) return element.replaceChildren(newcomer());
    sums.replaceChildren(...cards(totals, sessions, total));
    more.textContent = `${times(total - sessions.length, "older session")} in the store`;
    order(rows, [...sessions.map(row), ...(total > sessions.length ? [more] : [])]);
    if (!rows.isConnected) element.replaceChildren(sums, rows);
  };
  // A link that is being pressed must outlive what happens meanwhile, or the press is lost: its words change, it stays.
  const row = (session) => {
    const link = links.get(session.id) ?? make("a", "session");
    links.set(session.id, link);
    link.href = `#/s/${session.id}`;
    link.replaceChildren(...cells(session));
    return link;
  };
  return { name: "sessions", element, refresh, concerns: () => true };
};

// Children in this order; those that stand where they should are not touched.
const order = (parent, children) => {
  for (const [at, child] of children.entries())
    if (parent.childNodes[at] !== child) parent.insertBefore(child, parent.childNodes[at] ?? null);
  while (parent.childNodes.length > children.length) parent.lastChild.remove();
};

const cards = (totals, sessions, total) => {
  const sum = (of) => sessions.reduce((sum, session) => sum + (of(session) ?? 0), 0);
  const [paid, without] = [sum((session) => session.money.paid), sum((session) => session.money.without)];
  const less = without > 0 ? `${Math.round((1 - paid / without) * 100)} % less than ` : "against ";
  return [make("div", "cards",
    card(number(total), total === 1 ? "session" : "sessions"),
    card(number(sum((session) => session.usage.responses)), "answers"),
    card(short(sum((session) => session.money.saved)), "tokens not sent"),
    card(dollars(paid), "paid"),
    card(dollars(without), "without Enfold"),
    card(number(totals.epochs), "epochs since start"),
  ), make("p", "more", `${less}the same requests unfolded`)];
};

const cells = (session) => {
  const { agent, model, tokens, limit, window, money, usage, folds, compactions } = session;
  const name = make("span", "who", make("b", "", agent || "client"), make("small", "", model ?? "unknown model"));
  const room = make("span", "room", gauge(tokens, limit, window), make("small", "", `${short(tokens)} of ${short(window)} tokens`));
  const cell = (value, name) => make("span", "num", make("b", "", value), make("small", "", name));
  return [name, room,
    cell(number(usage.responses), usage.responses === 1 ? "answer" : "answers"),
    cell(number(folds), `folds, ${times(compactions, "epoch")}`),
    cell(dollars(money.paid), `without: ${dollars(money.without)}`),
    make("span", "seen-at", state(session.state), make("small", "", ago(session.updated)))];
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
