// Message by message: what it says, what became of it; original beside view when it is opened.
import { get, original } from "./wire.js";
import { make, number, section } from "./words.js";

const LEFT = { told: "told in a line", gone: "left out" };

export const items = (id) => {
  const at = `/api/sessions/${id}`;
  const rows = make("div");
  rows.id = "rows";
  const search = make("input");
  Object.assign(search, { type: "search", placeholder: "search all originals, folded or not" });
  search.setAttribute("aria-label", "search");
  const only = make("input");
  only.type = "checkbox";
  const count = make("small");
  count.setAttribute("role", "status");
  const tools = make("p", "tools", search, count, make("label", "", only, " only what changed"));
  const element = section("Messages", "newest first; each opens with its original beside what the model reads", tools, rows);
  element.classList.add("sheet");

  let [all, found, epoch] = [[], null, null];
  const made = { element, onHits: () => {} };

  // Rows stand in place while the session grows; after an epoch what they say may have changed.
  made.show = (known) => {
    const isAnother = known.epoch !== epoch || known.messages.length < all.length;
    if (isAnother) {
      const opened = new Set(all.filter((row) => row.open).map((row) => row.id));
      all = [];
      rows.replaceChildren();
      epoch = known.epoch;
      add(known.messages);
      all.filter((row) => opened.has(row.id)).forEach((row) => (row.open = true));
    } else {
      add(known.messages.slice(all.length));
    }
    filter();
  };

  const add = (messages) => {
    const more = messages.map(row);
    all.push(...more);
    rows.prepend(...more.toReversed());
  };

  const row = (message) => {
    const { number: nth, role, part, step, tool, tokens, now, fate, words } = message;
    const about = [role, step && `step ${step}`, tool].filter(Boolean).join(" · ");
    const weight = make("span", "tokens", number(tokens));
    if (fate !== "kept") weight.append(" → ", make("b", "", number(now)));
    const kind = fate === "kept" ? [] : [make("i", "kind", fate)];
    const title = make("span", "", make("i", `dot p-${part}`), make("b", "", number(nth + 1)), ` ${about}`, ...kind);
    const peek = make("div", "peek", make("pre", "", words));
    const details = make("details", `${fate}${fate === "kept" ? "" : " changed"}`, make("summary", "", make("div", "head", title, weight), peek));
    details.id = `m${nth}`;
    details.addEventListener("toggle", () => details.open && details.childElementCount === 1 && fill(details, nth));
    return details;
  };

  const fill = async (details, nth) => {
    const place = make("div", "", make("pre", "", "…"));
    details.append(place);
    const { was, now, fate, folds } = await get(`${at}/messages/${nth}`);
    const after = now === null ? [] : [now ? compared(now, was, "new") : make("pre", "", make("em", "", LEFT[fate] ?? ""))];
    const before = now === null ? make("pre", "", was) : compared(was, now, "hid");
    const heads = make("div", "two heads", make("b", "", "original"), make("b", "", "as the model reads it"));
    const sides = after.length ? [heads, make("div", "two", before, ...after)] : [before];
    place.replaceChildren(...folds.map(reason), ...sides);
  };

  // Lines that the other side lacks get a class.
  const compared = (text, other, lacks) => {
    const known = new Set(other.split("\n"));
    const pre = make("pre");
    text.split("\n").forEach((line, nth) => {
      if (nth) pre.append("\n");
      const pieces = pressable(line);
      if (other && line.trim() && !known.has(line)) pre.append(make("span", lacks, ...pieces));
      else pre.append(...pieces);
    });
    return pre;
  };

  const pressable = (text) => text.split(/(#\d{9})/).map((piece) => (/^#\d{9}$/.test(piece) ? handle(piece) : piece));
  const handle = (name) => {
    const button = make("button", "handle", name);
    button.addEventListener("click", (event) => {
      event.preventDefault();
      open(name);
    });
    return button;
  };
  const reason = (fold) =>
    make("p", "why", make("b", "", fold.kind), ...fold.handles.flatMap((name) => [" ", handle(name)]), ` ${fold.why} `, make("small", "", `${fold.pass}, ${number(fold.saved)} tokens saved`));

  // What a handle hides, byte for byte as it was.
  const dialog = page.byId("opened");
  const open = async (name) => {
    const close = make("button", "", "close");
    close.addEventListener("click", () => dialog.close());
    const body = make("pre", "", "…");
    dialog.replaceChildren(make("header", "", make("b", "", `${name} · original`), close), body);
    dialog.showModal();
    // A marker in a text may be of another session, or nobody's.
    body.textContent = await original(id, name).catch((error) => error.message);
  };

  const filter = () => {
    all.forEach((row, nth) => {
      const isFound = !found || found.has(nth);
      row.hidden = !isFound || (only.checked && !row.classList.contains("changed"));
    });
    const seen = all.filter((row) => !row.hidden).length;
    count.textContent = found || only.checked ? `${number(seen)} of ${number(all.length)}` : "";
  };
  only.addEventListener("change", filter);

  let typing = null;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(find, 200);
  });
  const find = async () => {
    const words = search.value.trim();
    const hits = words ? (await get(`${at}/search?q=${encodeURIComponent(words)}`)).hits.map((hit) => hit.number) : null;
    found = hits && new Set(hits);
    made.onHits(hits ?? []);
    filter();
  };

  made.jump = (nth) => {
    const row = all[nth];
    if (!row) return;
    rows.querySelector(".here")?.classList.remove("here");
    row.hidden = false;
    row.open = true;
    row.classList.add("here");
    row.scrollIntoView({ block: "start" });
    row.querySelector("summary").focus({ preventScroll: true });
  };
  return made;
};
