// Why the model sees what it sees: the passes of the last request, and the folds that stand since the epoch was opened.
import { make, number, section, times } from "./words.js";

export const explain = () => {
  const [request, standing] = [make("div"), make("div")];
  const element = section("Explain", "what each pass did, and why", make("h3", "", "the last request"), request, make("h3", "", "folds that stand"), standing);
  element.id = "explain";

  const show = (trace, epochs) => {
    request.replaceChildren(...last(trace));
    standing.replaceChildren(...folds(epochs.at(-1)));
  };
  return { element, show };
};

const last = (trace) => {
  if (!trace) return [make("p", "more", "sent by another process; its story is with that one")];
  const passes = trace.passes.map((pass) => row(pass, trace.before));
  const sum = `${number(trace.before)} → ${number(trace.after)} tokens; at most ${number(trace.limit)} may be sent`;
  return [make("p", "more", sum), ...passes, ...(passes.length ? [] : [make("p", "more", "nothing had to be done: the view is the one before, and what is new")])];
};

const row = (pass, whole) => {
  const [kind, detail] = typeof pass.outcome === "string" ? [pass.outcome, ""] : Object.entries(pass.outcome)[0];
  const [stands, saved] = [make("i"), make("u")];
  stands.style.width = `${(pass.after / (whole || 1)) * 100}%`;
  saved.style.width = `${((pass.before - pass.after) / (whole || 1)) * 100}%`;
  const did = kind === "folded" ? `${times(pass.folds.length, "fold")}. ${pass.reason}` : detail || pass.reason;
  return make("div", `pass ${kind}`, make("b", "", pass.pass), make("div", "bar", stands, saved),
    make("span", "num", `${number(pass.before)} → ${number(pass.after)}`), make("p", "", did));
};

const folds = (epoch) => {
  if (!epoch?.folds.length) return [make("p", "more", "none: everything is sent as it is")];
  const groups = new Map();
  for (const { pass, kind, saved } of epoch.folds) {
    const group = groups.get(`${pass} ${kind}`) ?? { pass, kind, saved: 0, folds: 0 };
    groups.set(`${pass} ${kind}`, { ...group, saved: group.saved + saved, folds: group.folds + 1 });
  }
  const all = [...groups.values()].sort((a, b) => b.saved - a.saved);
  const most = all[0].saved || 1;
  const about = `epoch ${epoch.epoch}${epoch.opened ? `, opened by ${epoch.opened}` : ""}: ${number(epoch.before)} → ${number(epoch.after)} tokens`;
  return [make("p", "more", about), ...all.map(({ pass, kind, saved, folds }) => {
    const bar = make("u");
    bar.style.width = `${(saved / most) * 100}%`;
    return make("div", "pass", make("b", "", `${pass} `, make("i", "kind", kind)), make("div", "bar", bar), make("span", "num", make("b", "", `${number(saved)} saved`), make("small", "", times(folds, "fold"))));
  })];
};
