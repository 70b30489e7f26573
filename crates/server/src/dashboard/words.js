// Numbers and times as people read them, and small pieces that several parts of the page show.

export const { make, number, times } = page;

export const short = (tokens) => {
  if (tokens < 1000) return number(tokens);
  return tokens < 100_000 ? `${(tokens / 1000).toFixed(1)}k` : `${number(Math.round(tokens / 1000))}k`;
};

export const dollars = (value) => {
  if (value === null || value === undefined) return "–";
  return `$${value.toFixed(Math.abs(value) < 0.995 && value !== 0 ? 4 : 2)}`;
};

export const ago = (then) => {
  const seconds = Math.max(0, Math.round((Date.now() - then) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h ago`;
  return new Date(then).toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
};

export const card = (value, name, classes = "card") => make("div", classes, make("b", "", value), make("span", "", name));

// How full the window is: what the view takes, and the limit that folding keeps to.
export const gauge = (tokens, limit, window) => {
  const share = (value) => `${Math.min(100, (value / (window || 1)) * 100)}%`;
  const level = tokens > limit ? "overflows" : tokens > 0.9 * limit ? "approaching" : "";
  const [bar, mark] = [make("div"), make("i")];
  bar.style.width = share(tokens);
  mark.style.left = share(limit);
  mark.title = "views keep below this";
  const gauge = make("div", `gauge ${level}`, bar, mark);
  gauge.setAttribute("role", "meter");
  gauge.setAttribute("aria-label", "window");
  gauge.setAttribute("aria-valuenow", tokens);
  gauge.setAttribute("aria-valuemax", window);
  return gauge;
};

const STATES = { working: "working", compacting: "compacting…", idle: "idle" };
export const state = (value) => make("span", `state ${value}`, make("i", ""), STATES[value] ?? value);

export const section = (title, about, ...children) =>
  make("section", "", make("h2", "", title, " ", make("small", "", about)), ...children);

export const svg = (name, values) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
  return element;
};
