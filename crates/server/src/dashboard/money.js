// What the session cost, against what the same requests would have cost unfolded: answer by answer, added up.
import { card, dollars, make, section, short, svg, times } from "./words.js";

const [WIDTH, HEIGHT] = [1000, 100];

export const money = () => {
  const [cards, plot, says] = [make("div", "cards"), make("div", "plot sum"), make("p", "more")];
  const legend = make("p", "legend", make("span", "", make("i", "dot p-assistant"), "paid"), make("span", "", make("i", "dot p-results"), "without Enfold, estimated"));
  const element = section("Money", "what providers reported, at their prices; rewriting the cache included", cards, plot, legend, says);
  element.id = "money";

  const show = ({ paid, without, saved, beyond, observed, responses }) => {
    const read = responses.reduce((sum, one) => sum + one.cache_read, 0);
    const input = responses.reduce((sum, one) => sum + one.input, 0);
    const less = paid === null || !without ? "–" : `${Math.round((1 - paid / without) * 100)} %`;
    cards.replaceChildren(
      card(dollars(paid), "paid"),
      card(dollars(without), "without Enfold"),
      card(less, "less"),
      card(short(input), "tokens read"),
      card(`${Math.round((read / (input || 1)) * 100)} %`, "of it from caches"),
      card(short(saved), observed ? "could have been saved" : "not sent"));
    says.textContent = [
      paid === null && "Prices of this model are not known: `enfold models` says how to name them.",
      observed && "Observing: nothing is changed, so nothing is saved.",
      beyond && `${times(beyond, "request")} would not have fitted into the window unfolded.`,
    ].filter(Boolean).join(" ") || "Unfolded: the same requests with everything in them, and a cache that holds each request for the next.";
    draw(responses);
  };

  const draw = (responses) => {
    plot.hidden = responses.length < 2 || responses[0].paid === null;
    if (plot.hidden) return;
    const added = (of) => responses.reduce((sums, one) => [...sums, (sums.at(-1) ?? 0) + of(one)], []);
    const [paid, without] = [added((one) => one.paid), added((one) => one.without)];
    const most = Math.max(paid.at(-1), without.at(-1)) || 1;
    const line = (sums, classes) => svg("polyline", { class: `line tick ${classes}`, points: sums.map((sum, nth) => `${(nth / (sums.length - 1)) * WIDTH},${HEIGHT - (sum / most) * 0.94 * HEIGHT}`).join(" ") });
    const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `${dollars(paid.at(-1))} paid, ${dollars(without.at(-1))} without, over ${times(responses.length, "answer")}` });
    picture.append(line(without, "p-results"), line(paid, "p-assistant"));
    plot.replaceChildren(picture);
  };
  return { element, show };
};

