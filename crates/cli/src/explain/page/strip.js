// The strip: every message as wide as it is heavy, as high as the share of it that the model still sees.
page.strip = (() => {
  const { messages } = page.data;
  const box = page.byId("strip");
  const rule = box.querySelector("em");
  const WIDTH = 1000;
  const HEIGHT = 100;

  // Where each message begins and ends. Light ones get a little more than their due, so that they can be seen.
  const total = messages.reduce((sum, message) => sum + message.tokens, 0) || 1;
  const ends = [];
  messages.reduce((sum, message) => (ends.push(sum + Math.max(message.tokens, total / 900)), ends.at(-1)), 0);
  const whole = ends.at(-1) || 1;
  const span = (nth) => [(nth ? ends[nth - 1] : 0) / whole, ends[nth] / whole];
  const middle = (nth) => span(nth).reduce((a, b) => a + b) / 2;

  const rect = (classes, from, to, share) => {
    const rect = document.createElementNS(box.querySelector("svg").namespaceURI, "rect");
    const values = { class: `fill ${classes}`, x: from * WIDTH, width: (to - from) * WIDTH, y: (1 - share) * HEIGHT, height: share * HEIGHT };
    for (const [name, value] of Object.entries(values)) rect.setAttribute(name, value);
    return rect;
  };

  // Neighbours of one fate are one rectangle: a session of ten thousand messages stays quick. What is left of a thinned
  // message stands on top.
  const draw = () => {
    const [under, over] = [[], []];
    let run = null;
    const end = () => run && under.push(rect(`s-${run.fate}`, run.from, run.to, 1));
    messages.forEach((message, nth) => {
      const [from, to] = span(nth);
      const { fate, tokens } = page.fate(nth);
      if (run?.fate === fate) {
        run.to = to;
      } else {
        end();
        run = { fate, from, to };
      }
      if (fate === "thinned") over.push(rect("s-kept", from, to, Math.min(1, tokens / message.tokens)));
    });
    end();
    box.querySelector("svg").replaceChildren(...under, ...over);
  };

  const flag = (nth) => {
    const flag = page.make("button", "flag");
    flag.style.left = middle(nth) * 100 + "%";
    flag.setAttribute("aria-label", `message ${nth + 1}, the user: ${page.first(messages[nth].text, 80)}`);
    flag.addEventListener("click", () => page.rows.jump(nth));
    flag.addEventListener("pointermove", (event) => tell(event, nth));
    flag.addEventListener("pointerleave", page.tip.hide);
    return flag;
  };

  const at = (event) => {
    const { left, width } = box.getBoundingClientRect();
    const place = ((event.clientX - left) / width) * whole;
    const nth = ends.findIndex((end) => place < end);
    return nth < 0 ? messages.length - 1 : nth;
  };

  const tell = (event, nth) => {
    const { fate, tokens } = page.fate(nth);
    const message = messages[nth];
    const size = fate === "kept" ? page.number(message.tokens) : `${page.number(message.tokens)} → ${page.number(tokens)}`;
    const about = page.make("div", "", page.make("i", `dot s-${fate}`), fate, page.make("span", "", size));
    page.tip.show(event, page.make("b", "", page.title(nth)), about, page.make("small", "", page.first(message.text, 90)));
    mark(nth);
  };

  const mark = (nth) => {
    rule.style.left = middle(nth) * 100 + "%";
    rule.style.opacity = 0.6;
  };

  // Arrows walk, Enter jumps.
  let walked = 0;
  box.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      walked = Math.min(Math.max(walked + step, 0), messages.length - 1);
      mark(walked);
      event.preventDefault();
    } else if (event.key === "Enter") {
      page.rows.jump(walked);
    }
  });
  box.addEventListener("click", (event) => page.rows.jump((walked = at(event))));
  box.addEventListener("pointermove", (event) => tell(event, at(event)));
  box.addEventListener("pointerleave", () => {
    page.tip.hide();
    rule.style.opacity = 0;
  });
  page.byId("flags").replaceChildren(...messages.flatMap((message, nth) => (message.asks ? [flag(nth)] : [])));

  const hits = (found) => {
    const ticks = found.map((nth) => {
      const tick = page.make("i");
      tick.style.left = middle(nth) * 100 + "%";
      return tick;
    });
    page.byId("hits").replaceChildren(...ticks);
  };
  return { draw, hits, mark };
})();
