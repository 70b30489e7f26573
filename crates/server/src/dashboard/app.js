// Which page is shown, who may see it, and what happens meanwhile.
import { Locked, get, listen, token } from "./wire.js";
import { list } from "./sessions.js";
import { session } from "./session.js";
import { make } from "./words.js";

const main = page.byId("main");
let shown = null;

// `#token=…` comes from the command that started the server. The address is cleared of it at once.
const takeToken = () => {
  const found = location.hash.match(/^#token=([0-9a-zA-Z]+)$/);
  if (!found) return;
  token.set(found[1]);
  history.replaceState(null, "", "#/");
};

const wanted = () => {
  const id = location.hash.match(/^#\/s\/([\w-]+)/)?.[1];
  return id ? session(id) : list();
};

const show = async () => {
  takeToken();
  shown?.end?.();
  shown = null;
  if (!token.get()) return ask();
  const next = wanted();
  shown = next;
  main.replaceChildren(next.element);
  page.byId("here").textContent = next.name;
  document.title = `${next.name} · enfold`;
  scrollTo(0, 0);
  await refresh(next);
};

// One at a time, and once more if something happened meanwhile.
const refresh = async (which) => {
  if (which !== shown || !which) return;
  if (which.isBusy) {
    which.isStale = true;
    return;
  }
  which.isBusy = true;
  try {
    await which.refresh();
  } catch (error) {
    if (error instanceof Locked) return ask(error.message);
    which.element.dataset.failed = error.message;
    page.byId("link").textContent = error.message;
  } finally {
    which.isBusy = false;
  }
  if (which.isStale) {
    which.isStale = false;
    later(which);
  }
};

let timer = null;
const later = (which, ms = 120) => {
  timer ??= setTimeout(() => {
    timer = null;
    refresh(which);
  }, ms);
};

const ask = (why) => {
  const input = make("input");
  Object.assign(input, { type: "password", autocomplete: "off", required: true });
  input.setAttribute("aria-label", "token");
  const form = make("form", "token", input, make("button", "", "open"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    token.set(input.value);
    try {
      await get("/api/totals");
      start();
    } catch {
      ask("that is not the token of this installation");
    }
  });
  const says = [
    make("p", "", "What sessions hold is shown only with the token of this installation. It is in the file "),
    make("p", "", "Or start from the link that ", make("code", "", "enfold serve"), " prints: it carries the token where no server sees it."),
  ];
  says[0].append(make("code", "", "token"), " beside the store; ", make("code", "", "enfold doctor"), " says where.");
  const section = make("section", "", make("h2", "", "The token, please"), ...says, form);
  if (why) section.append(make("p", "error", why));
  token.forget();
  main.replaceChildren(section);
  page.byId("here").textContent = "";
  input.focus();
};

let listening = false;
const start = () => {
  show();
  if (listening || !token.get()) return;
  listening = true;
  const link = (is) => {
    const element = page.byId("link");
    element.textContent = is ? "live" : "not connected";
    element.className = is ? "live" : "";
    if (is) later(shown);
  };
  const hear = (event) => {
    shown?.hear?.(event);
    if (shown?.concerns(event)) later(shown);
  };
  listen(hear, link).catch(() => {
    listening = false;
  });
};

addEventListener("hashchange", () => start());
// Other processes that share the store tell us nothing.
setInterval(() => document.hidden || refresh(shown), 5000);
start();
