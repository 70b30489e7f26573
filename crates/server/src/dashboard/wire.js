// Asking the server: with the token, and events as they come. Texts of sessions are made harmless here, once for all.

const KEY = "enfold-token";

// The tab keeps it, and nobody else: not other ports of this host, not the next visit.
export const token = {
  get: () => sessionStorage.getItem(KEY),
  set: (value) => sessionStorage.setItem(KEY, value.trim()),
  forget: () => sessionStorage.removeItem(KEY),
};

// The token is missing or wrong.
export class Locked extends Error {}

// Invisible characters that hide or reorder what is read become visible marks; lines and tabs stay.
const TREACHEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const harmless = (text) => text.replace(TREACHEROUS, "\ufffd");
const read = (text) => JSON.parse(text, (_, value) => (typeof value === "string" ? harmless(value) : value));

const ask = async (path, signal) => {
  const headers = { authorization: `Bearer ${token.get() ?? ""}` };
  const response = await fetch(path, { headers, signal, cache: "no-store" });
  if (response.status === 401) throw new Locked("the token is missing or wrong");
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
};

export const get = async (path, signal) => read(await (await ask(path, signal)).text());
export const original = async (session, handle) =>
  harmless(await (await ask(`/api/sessions/${session}/originals/${handle.replace("#", "")}`)).text());

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// Hears events for ever. An EventSource could not send the token in a header, so the stream is read by hand.
export const listen = async (hear, tell) => {
  for (;;) {
    try {
      const lines = (await ask("/api/events")).body.pipeThrough(new TextDecoderStream()).getReader();
      tell(true);
      let rest = "";
      for (let piece = await lines.read(); !piece.done; piece = await lines.read()) {
        const frames = (rest + piece.value).split("\n\n");
        rest = frames.pop();
        frames.map(event).filter(Boolean).forEach(hear);
      }
    } catch (error) {
      if (error instanceof Locked) throw error;
    }
    tell(false);
    await pause(1000);
  }
};

// `event: NAME` and `data: JSON`; a comment is a sign of life.
const event = (frame) => {
  const field = (name) => frame.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = field("data");
  return data && { name: field("event"), ...read(data) };
};
