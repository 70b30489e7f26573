// Before and after, message by message. What a closed row hides is made when it is opened.
page.rows = (() => {
  const { messages } = page.data;
  const list = page.byId("rows");
  const PEEK = { lines: 5, letters: 200 };
  const WHOLE = { lines: Infinity, letters: Infinity };

  // A text whose handles can be pressed.
  const pressable = (text) => {
    const handles = page.view().handles;
    return text.split(/(#\d{9})/).map((piece) => (handles[piece] === undefined ? piece : handle(piece)));
  };

  const handle = (name) => {
    const button = page.make("button", "handle", name);
    button.addEventListener("click", (event) => {
      event.preventDefault();
      open(name);
    });
    return button;
  };

  // Lines that the other side lacks get a class.
  const shown = (text, extent, other, lacks) => {
    // A text that stands alone has nothing to be compared with.
    const known = !other ? null : new Set(other.split("\n"));
    let lines = text.split("\n");
    if (extent === PEEK) lines = lines.filter((line) => line.trim());
    const pre = page.make("pre");
    lines.slice(0, extent.lines).forEach((line, nth) => {
      const cut = line.length > extent.letters ? line.slice(0, extent.letters) + "…" : line;
      const pieces = pressable(cut);
      if (nth) pre.append("\n");
      if (known && line.trim() && !known.has(line)) pre.append(page.make("span", lacks, ...pieces));
      else pre.append(...pieces);
    });
    if (lines.length > extent.lines) pre.append("\n…");
    return pre;
  };

  const LEFT = { told: "told in a line", gone: "left out" };

  const sides = (was, now, fate, extent) => {
    if (now === undefined) return shown(was, extent);
    const before = was ? shown(was, extent, now, "hid") : page.make("pre", "", page.make("em", "", "not in the session"));
    const after = now ? shown(now, extent, was, "new") : page.make("pre", "", page.make("em", "", LEFT[fate] ?? ""));
    return page.make("div", "two", before, after);
  };

  const reason = (fold) => {
    const handles = fold.handles.flatMap((name) => [" ", handle(name)]);
    return page.make("p", "why", page.make("b", "", fold.kind), ...handles, ` ${fold.why} `, page.make("small", "", fold.what));
  };

  const heading = (title, part, kinds, before, after) => {
    const tags = [...new Set(kinds)].map((kind) => page.make("i", "kind", kind));
    const tokens = page.make("span", "tokens", page.number(before));
    if (after !== undefined) tokens.append(" → ", page.make("b", "", page.number(after)));
    return page.make("div", "head", page.make("span", "", page.make("i", `dot p-${part}`), ...title, ...tags), tokens);
  };

  // Fills a row: its head and its beginning now, everything when it opens.
  const fill = (row, classes, head, was, now, fate, reasons) => {
    row.className = classes;
    const peek = page.make("div", "peek", sides(was, now, fate, PEEK));
    row.replaceChildren(page.make("summary", "", head, peek));
    const whole = () => row.append(...reasons.map(reason), sides(was, now, fate, WHOLE));
    row.ontoggle = () => {
      if (row.open && row.childElementCount === 1) whole();
    };
    if (row.open) whole();
  };

  const draw = (nth) => {
    const message = messages[nth];
    const { fate, tokens, text, folds } = page.fate(nth);
    const kinds = folds.map((fold) => fold.kind);
    const about = [message.role, message.step && `step ${message.step}`, message.tool].filter(Boolean).join(" · ");
    const title = [page.make("b", "", page.number(nth + 1)), ` ${about}`];
    const after = text === undefined ? undefined : tokens;
    const head = heading(title, message.part, kinds, message.tokens, after);
    fill(all[nth], `${fate}${text === undefined ? "" : " changed"}`, head, message.text, text, fate, folds);
  };

  // The message that the view has and the session has not: what tells of those that left.
  const inserted = page.make("details");
  inserted.id = "inserted";
  const drawInserted = () => {
    const made = page.view().inserted;
    inserted.remove();
    if (!made) return;
    const title = [page.make("b", "", "+"), ` ${made.what}`];
    fill(inserted, "thinned changed", heading(title, "summaries", [], 0, made.tokens), "", made.text, "thinned", []);
    all[made.before - 1]?.before(inserted);
  };

  const all = messages.map((_, nth) => {
    const row = page.make("details");
    row.id = `m${nth + 1}`;
    return row;
  });
  list.append(...all);

  const jump = (nth) => {
    const row = all[nth];
    if (!row) return;
    list.querySelector(".here")?.classList.remove("here");
    row.hidden = false;
    row.open = true;
    row.classList.add("here");
    row.scrollIntoView({ block: "start" });
    page.strip.mark(nth);
    history.replaceState(null, "", `#${row.id}`);
  };

  // What a handle hides: the originals of all that its fold took.
  const dialog = page.byId("opened");
  const open = (name) => {
    const fold = page.view().folds[page.view().handles[name]];
    const close = page.make("button", "", "close");
    close.addEventListener("click", () => dialog.close());
    const about = page.make("div", "", page.make("b", "", `${name} · ${fold.kind}`), page.make("p", "", fold.why));
    const one = (number) => {
      const go = page.make("button", "", "go there");
      go.addEventListener("click", () => {
        dialog.close();
        jump(number - 1);
      });
      return [page.make("h3", "", page.title(number - 1), " ", go), shown(messages[number - 1].text, WHOLE)];
    };
    dialog.replaceChildren(page.make("header", "", about, close), ...fold.messages.flatMap(one));
    dialog.showModal();
  };

  // Which rows are seen: all, those that folding changed, those that a search found.
  const sift = (wanted) => all.forEach((row, nth) => (row.hidden = !wanted(nth)));

  return { all, draw, drawInserted, jump, sift, open };
})();
