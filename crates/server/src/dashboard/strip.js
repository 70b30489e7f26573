// The whole session in a line: every message as wide as it is heavy, as high as the share that the model still sees. Epochs
// stand where they were opened.
import { ago, make, number, section, svg } from "./words.js";

const [WIDTH, HEIGHT] = [1000, 100];

const KEYS = [["s-kept", "kept"], ["s-thinned", "thinned: the lower part stands"], ["s-told", "told in a line"], ["s-gone", "gone, behind a handle"], ["p-user", "flags: what the user asked"], ["epoch", "lines: epochs"]];

export const strip = (jump) => {
  const [flags, box, hits, rule] = [make("div", "flags"), make("div", "strip"), make("div", "hits"), make("em")];
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const lines = make("div", "epochs");
  box.append(picture, lines, rule);
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "the session, message by message; arrows walk, Enter opens");
  const legend = make("p", "legend", ...KEYS.map(([classes, says]) => make("span", "", make("i", `dot ${classes}`), says)));
  const element = section("The session", "every message as wide as it is heavy; it grows while the agent works", flags, box, hits, legend);
  element.id = "strip";

  let [messages, ends] = [[], []];
  const whole = () => ends.at(-1) || 1;
  const span = (nth) => [(nth ? ends[nth - 1] : 0) / whole(), ends[nth] / whole()];
  const middle = (nth) => span(nth).reduce((a, b) => a + b) / 2;
  const percent = (share) => `${share * 100}%`;
  const rect = (classes, from, to, share) =>
    svg("rect", { class: `fill ${classes}`, x: from * WIDTH, width: (to - from) * WIDTH, y: (1 - share) * HEIGHT, height: share * HEIGHT });

  const draw = (known) => {
    messages = known.messages;
    const total = messages.reduce((sum, message) => sum + message.tokens, 0);
    ends = [];
    for (const message of messages) ends.push((ends.at(-1) ?? 0) + Math.max(message.tokens, total / 900, 1));
    // Neighbours of one fate are one rectangle: a session of ten thousand messages stays quick.
    const [under, over] = [[], []];
    let run = null;
    messages.forEach(({ fate, tokens, now }, nth) => {
      const [from, to] = span(nth);
      if (run?.fate === fate) run.to = to;
      else under.push((run = { fate, from, to }));
      if (fate === "thinned") over.push(rect("s-kept", from, to, Math.min(1, now / tokens)));
    });
    picture.replaceChildren(...under.map(({ fate, from, to }) => rect(`s-${fate}`, from, to, 1)), ...over);
    flags.replaceChildren(...messages.flatMap((message, nth) => (message.asks ? [flag(nth)] : [])));
    lines.replaceChildren(...known.opened.filter((epoch) => epoch.messages).map(epoch));
  };

  const flag = (nth) => {
    const flag = make("button", "flag");
    flag.style.left = percent(middle(nth));
    flag.setAttribute("aria-label", `message ${nth + 1}, the user: ${messages[nth].words.slice(0, 80)}`);
    flag.addEventListener("click", () => jump(nth));
    flag.addEventListener("pointermove", (event) => tell(event, nth));
    flag.addEventListener("pointerleave", page.tip.hide);
    return flag;
  };

  const epoch = ({ messages: at, reason, before, after, at: then }) => {
    const line = make("u");
    line.style.left = percent(span(Math.min(at, messages.length) - 1)[1]);
    line.title = `epoch opened (${reason}) ${ago(then)}: ${number(before)} → ${number(after)} tokens`;
    return line;
  };

  const at = (event) => {
    const { left, width } = box.getBoundingClientRect();
    const place = ((event.clientX - left) / width) * whole();
    const nth = ends.findIndex((end) => place < end);
    return nth < 0 ? messages.length - 1 : nth;
  };
  const mark = (nth) => {
    rule.style.left = percent(middle(nth));
    rule.style.opacity = 0.6;
  };
  const tell = (event, nth) => {
    const message = messages[nth];
    if (!message) return;
    const { fate, tokens, now, role, tool, words } = message;
    const size = fate === "kept" ? number(tokens) : `${number(tokens)} → ${number(now)}`;
    const about = make("div", "", make("i", `dot s-${fate}`), fate, make("span", "", size));
    page.tip.show(event, make("b", "", [`message ${nth + 1}`, role, tool].filter(Boolean).join(" · ")), about, make("small", "", words.slice(0, 90)));
    mark(nth);
  };

  let walked = 0;
  box.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && messages.length) {
      walked = Math.min(Math.max(walked + step, 0), messages.length - 1);
      mark(walked);
      event.preventDefault();
    } else if (event.key === "Enter") {
      jump(walked);
    }
  });
  box.addEventListener("click", (event) => jump((walked = at(event))));
  box.addEventListener("pointermove", (event) => tell(event, at(event)));
  box.addEventListener("pointerleave", () => {
    page.tip.hide();
    rule.style.opacity = 0;
  });

  const showHits = (found) => hits.replaceChildren(...found.filter((nth) => nth < messages.length).map((nth) => {
    const tick = make("i");
    tick.style.left = percent(middle(nth));
    return tick;
  }));
  return { element, draw, hits: showHits };
};
