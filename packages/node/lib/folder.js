'use strict';
// What the hooks for frameworks share: a session per conversation, summaries, events, and what "too long" looks like.

const native = require('./native.js');
const { CannotFit } = require('./errors.js');
const { Session } = require('./session.js');
const { Warmth } = require('./warmth.js');
const { value } = require('./written.js');

// Conversations that are remembered. One that was forgotten begins again: valid, with a new epoch.
const MOST = 256;

/** Sessions by conversation. */
class Folder {
  #options;
  #own;
  #most;
  #sessions = new Map();
  #beside = new WeakMap();
  #busy = new WeakMap();
  #onEvent;
  #summarize;
  #window;
  #warmth;

  constructor({ session, onEvent, summarize, summarizerWindow, most = MOST, now, ...options } = {}, format) {
    this.#warmth = new Warmth(now);
    this.#own = session;
    this.#most = most;
    this.#onEvent = onEvent;
    this.#summarize = summarize;
    this.#window = summarizerWindow;
    this.#options = { format, ...(summarize && { asks: true }), ...options };
    // A wrong option is told now, not with the first request.
    if (session === undefined) new Session(this.#options);
  }

  /** The session of a conversation. One without a name is known by how it begins. */
  session(name, messages) {
    if (this.#own !== undefined) return this.#own;
    const key = name ?? beginning(messages);
    const session = this.#sessions.get(key) ?? new Session(this.#options);
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    if (this.#sessions.size > this.#most) this.#sessions.delete(this.#sessions.keys().next().value);
    return session;
  }

  /** What to send, with a summary where one helps and somebody writes it. `beside` is what stands beside the messages. */
  async prepare(session, messages, beside = {}) {
    return this.#alone(session, async () => {
      this.#surround(session, beside);
      return this.#prepared(session, messages);
    });
  }

  /** Sends what fits. If the provider says that it was too long, folds harder and sends once more. */
  async send(session, messages, beside, send) {
    const view = await this.prepare(session, messages, beside);
    try {
      return await this.answered(session, send(view));
    } catch (error) {
      const harder = isOverflow(error) ? await this.harder(session, messages) : undefined;
      if (harder === undefined) throw error;
      return this.answered(session, send(harder));
    }
  }

  /** Waits for an answer, and notes when it was here: so long the provider has held the request in its cache. */
  async answered(session, answer) {
    const here = await answer;
    this.#warmth.use(session);
    return here;
  }

  /** What to send after a refusal; nothing if what must stay does not fit then. */
  async harder(session, messages) {
    return this.#alone(session, async () => {
      await session.overflowed();
      try {
        return await this.#prepared(session, messages);
      } catch (error) {
        if (error instanceof CannotFit) return undefined;
        throw error;
      }
    });
  }

  /** Folds what the next requests need not hold. */
  async settle() {
    for (const session of this.#all()) {
      const view = await this.#alone(session, () => session.settle());
      if (view !== undefined && session.ask !== undefined) this.#tell(view);
    }
  }

  /** The original behind a handle, in whichever conversation it is. */
  async recall(handle) {
    for (const session of this.#all().reverse()) {
      const original = await this.#alone(session, () => session.recall(handle));
      if (original !== undefined) return original;
    }
    return undefined;
  }

  #all() {
    return this.#own === undefined ? [...this.#sessions.values()] : [this.#own];
  }

  /** One after the other: two requests of one conversation may come at once, if they begin alike. */
  async #alone(session, work) {
    const before = this.#busy.get(session);
    const done = (async () => {
      await before?.catch(() => {});
      return work();
    })();
    this.#busy.set(session, done);
    return done;
  }

  /** Says what stands beside the messages, if it is not what was said before. A stored session was told when it was opened. */
  #surround(session, { system, tools }) {
    if (session.surround === undefined) return;
    const said = value({ system: system ?? null, tools: tools?.length ? tools : null });
    if (this.#beside.get(session) === said) return;
    session.surround(JSON.parse(said));
    this.#beside.set(session, said);
  }

  /** A compaction's start is told before a model is asked. A stored session has listener and summarizer of its own. */
  async #prepared(session, messages) {
    if (session.ask === undefined) return session.prepare(messages);
    const view = await session.prepare(messages, { cold: this.#warmth.isCold(session) });
    this.#warmth.use(session);
    const question = this.#summarize && session.ask(view, this.#window);
    if (question === undefined) {
      this.#tell(view);
      return view;
    }
    const isStart = ({ type }) => type === 'compaction:start';
    this.#tell(view, isStart);
    const told = (await this.#answered(session, question)) ? await session.prepare() : view;
    this.#tell(told, (event) => !isStart(event));
    return told;
  }

  /** No failure of a model stops the agent. */
  async #answered(session, question) {
    try {
      const answer = await this.#summarize(question);
      const { text, finish } = typeof answer === 'string' ? { text: answer } : answer;
      session.answer(question.key, text, finish);
      return true;
    } catch (error) {
      session.giveUp(question.key);
      const why = String(error?.message ?? error);
      this.#onEvent?.({ type: 'summary:failed', data: { round: question.round, class: error?.code ?? 'failed', why } });
      return false;
    }
  }

  #tell(view, which = () => true) {
    if (this.#onEvent === undefined) return;
    for (const event of view.events.filter(which)) this.#onEvent(event);
  }
}

/** A framework's messages in a wire format. One that was written before and has the same parts is not written again. */
class Written {
  #known = new WeakMap();
  #write;
  #parts;

  /** `parts(message)` are the values of which a message is made. */
  constructor(write, parts) {
    this.#write = write;
    this.#parts = parts;
  }

  of(message) {
    const parts = this.#parts(message);
    const known = this.#known.get(message);
    if (known?.parts.every((part, nth) => part === parts[nth])) return known.written;
    const written = this.#write(message);
    this.#known.set(message, { parts, written });
    return written;
  }
}

/** What a conversation is known by: everything up to the first words of its user. */
function beginning(messages) {
  const first = messages.findIndex((message) => message?.role === 'user');
  return JSON.stringify(messages.slice(0, first < 0 ? 1 : first + 1));
}

/** Whether an error of a client says that the request was too long. */
function isOverflow(error) {
  for (let cause = error, depth = 0; cause && depth < 4; cause = cause.cause ?? cause.lastError, depth++) {
    if (cause.name === 'ContextOverflowError') return true;
    const status = cause.statusCode ?? cause.status ?? 400;
    const said = { error: { message: cause.message, code: cause.code ?? undefined } };
    const bodies = [cause.responseBody, cause.error && JSON.stringify({ error: cause.error }), JSON.stringify(said)];
    if (bodies.some((body) => typeof body === 'string' && native.isOverflow(status, body))) return true;
  }
  return false;
}

module.exports = { Folder, Written, isOverflow };
