// The budget, the search, and the first look.
{
  const { data } = page;
  const slider = page.byId("budget");
  const search = page.byId("search");
  const only = page.byId("only");

  const cards = () => {
    const view = page.view();
    const { before } = data;
    const card = (value, name) => page.make("div", "card", page.make("b", "", value), page.make("span", "", name));
    const share = `${((100 * view.after) / before).toFixed(1)} %`;
    page.byId("cards").replaceChildren(
      card(page.number(before), "tokens before"), card(page.number(view.after), "tokens after"), card(share, "of the session"),
      card(page.number(view.folds.length), "folds"), card(view.rung ?? "none", "how deep folding went"));
    page.byId("room").value = page.times(view.budget, "token");
    page.byId("stops").querySelectorAll("button").forEach((stop, nth) => stop.setAttribute("aria-pressed", nth === page.at));
  };

  const passes = () => {
    const width = (tag, tokens) => {
      const bar = page.make(tag);
      bar.style.width = `${(100 * tokens) / data.before}%`;
      return bar;
    };
    const row = (pass) => {
      const bar = page.make("div", "bar", width("i", pass.after), width("u", Math.max(0, pass.before - pass.after)));
      const made = pass.outcome === "folded" ? page.times(pass.folds, "fold") : pass.outcome;
      const name = page.make("div", "", page.make("b", "", pass.pass), " ", page.make("small", "", made));
      const tokens = page.make("div", "num", `${page.number(pass.before)} → ${page.number(pass.after)}`);
      return page.make("div", `pass ${pass.outcome}`, name, bar, tokens, page.make("p", "", pass.why));
    };
    page.byId("passes").replaceChildren(...page.view().passes.map(row));
  };

  const shortened = () => {
    const rows = page.view().shortened.map((said) => page.make("li", "", said));
    page.byId("shortened").replaceChildren(...rows);
    page.byId("not-whole").hidden = rows.length === 0;
  };

  // A search looks at both sides; what it finds has a tick under the strip.
  let found = [];
  let next = 0;
  const texts = data.messages.map((message) => message.text.toLowerCase());
  const sift = () => {
    const wanted = search.value.trim().toLowerCase();
    const holds = (nth) => texts[nth].includes(wanted) || (page.fate(nth).text ?? "").toLowerCase().includes(wanted);
    found = wanted ? texts.flatMap((_, nth) => (holds(nth) ? [nth] : [])) : [];
    next = 0;
    const hits = new Set(found);
    page.rows.sift((nth) => (!wanted || hits.has(nth)) && (!only.checked || page.fate(nth).text !== undefined));
    page.strip.hits(found);
    page.byId("count").textContent = wanted ? page.times(found.length, "message") : "";
  };

  const look = (at) => {
    const before = page.at;
    page.at = at;
    const differs = (nth) => before === undefined || data.views[before].changed[nth + 1] || data.views[at].changed[nth + 1];
    page.rows.all.forEach((_, nth) => differs(nth) && page.rows.draw(nth));
    page.rows.drawInserted();
    cards();
    passes();
    shortened();
    page.strip.draw();
    sift();
  };

  const short = (tokens) => (tokens < 1000 ? `${tokens}` : tokens < 9950 ? `${(tokens / 1000).toFixed(1)}k` : `${Math.round(tokens / 1000)}k`);
  const stop = (view, nth) => {
    const stop = page.make("button", "stop", view.budget >= data.before ? "all" : short(view.budget));
    stop.addEventListener("click", () => {
      slider.value = nth;
      look(nth);
    });
    return stop;
  };
  page.byId("stops").append(...data.views.map(stop));
  slider.max = data.views.length - 1;
  slider.value = data.start;
  slider.disabled = data.views.length < 2;
  slider.addEventListener("input", () => look(Number(slider.value)));
  search.addEventListener("input", sift);
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !found.length) return;
    page.rows.jump(found[next]);
    next = (next + 1) % found.length;
  });
  only.addEventListener("change", sift);
  page.byId("open").addEventListener("click", () => page.rows.all.forEach((row, nth) => (row.open ||= page.fate(nth).text !== undefined)));
  page.byId("close").addEventListener("click", () => page.rows.all.forEach((row) => (row.open = false)));

  look(data.start);
  const named = /^#m(\d+)$/.exec(location.hash);
  if (named) page.rows.jump(Number(named[1]) - 1);
}
