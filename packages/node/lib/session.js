'use strict';
// Sessions: what to send, request after request.

const native = require('./native.js');
const { Reentered, calling, waiting } = require('./errors.js');
const { atOnce, copied, crossing, inSlices, writing } = require('./list.js');
const { camelKeys } = require('./names.js');
const { inTurn, persisting, refuse } = require('./persist.js');
const { View } = require('./view.js');
const { Known, options, value, whole } = require('./written.js');

/** What both kinds of session share: the host's list, of which only what is new is converted, and one call after the other. */
class Running {
  known = [];
  objects = [];
  made = [];
  /** The texts that the native part surely has. */
  has = [];
  #last = Promise.resolve();
  #waiting = 0;

  /** Does it when everything before is done. */
  async next(call) {
    const before = this.#last;
    let done;
    this.#last = new Promise((resolve) => {
      done = resolve;
    });
    this.#waiting++;
    try {
      await before;
      return await waiting(call);
    } finally {
      this.#waiting--;
      done();
    }
  }

  /** Does it now, which nobody may be about to. */
  now(call) {
    if (this.#waiting > 0) {
      throw new Reentered('the session is at work: await the call before this one');
    }
    return calling(call);
  }

  /** Writes a list and hands over what is new in it to `take(kept, texts)`. */
  *hand(messages, take) {
    const written = yield* writing(messages, this.known);
    let kept = 0;
    while (kept < this.has.length && kept < written.length && this.has[kept] === written[kept].text) kept++;
    const texts = yield* crossing(written, kept);
    this.known = written;
    // Should taking fail, nothing is sure.
    this.has = [];
    return {
      taken: () => take(kept, texts),
      done: () => {
        this.has = written.map((known) => known.text);
        this.objects = messages;
      },
    };
  }

  /** One message more, which the native part has taken. */
  grow(known) {
    this.known[this.objects.length] = known;
    if (this.has.length === this.objects.length) this.has.push(known.text);
    this.objects.push(known.object);
  }

  view(folded) {
    return new View(folded, this.objects, this.made);
  }
}

/** A running session in memory. */
class Session {
  #native;
  #running = new Running();
  #keep;

  constructor(given = {}) {
    const { rest, keep } = persisting(given);
    this.#native = calling(() => new native.Session(options(rest), keep));
    this.#keep = keep;
  }

  push(message) {
    this.#running.now(() => {
      const known = Known.write(message, this.#running.objects.length);
      this.#native.push(known.text);
      this.#running.grow(known);
    });
  }

  sync(messages) {
    return this.#running.now(() => this.#taken(messages, (kept, texts) => this.#native.sync(kept, texts)));
  }

  surround({ system, tools } = {}) {
    const json = (it) => (it === undefined || it === null ? undefined : value(it));
    this.#running.now(() => this.#native.surround(json(system), json(tools)));
  }

  async prepare(messages, { cold = false } = {}) {
    const list = messages === undefined ? undefined : copied(messages);
    return this.#running.next(async () => {
      if (list === undefined) return this.#running.view(await inTurn(this.#keep, () => this.#native.prepare(0, undefined, cold)));
      const take = (kept, texts) => inTurn(this.#keep, () => this.#native.prepare(kept, texts, cold));
      const handed = await inSlices(this.#running.hand(list, take));
      return this.#running.view(await settled(handed));
    });
  }

  prepareSync(messages, { cold = false } = {}) {
    refuse(this.#keep, 'prepare');
    return this.#running.now(() => {
      if (messages === undefined) return this.#running.view(this.#native.prepareSync(0, undefined, cold));
      const take = (kept, texts) => this.#native.prepareSync(kept, texts, cold);
      return this.#running.view(this.#taken(messages, take));
    });
  }

  async settle() {
    return this.#running.next(async () => this.#settled(await inTurn(this.#keep, () => this.#native.settle())));
  }

  settleSync() {
    refuse(this.#keep, 'settle');
    return this.#running.now(() => this.#settled(this.#native.settleSync()));
  }

  recall(handle) {
    return this.#running.now(() => this.#native.recall(String(handle)) ?? undefined);
  }

  report(inputTokens) {
    this.#running.now(() => this.#native.report(whole('inputTokens', inputTokens)));
  }

  overflowed(counted) {
    this.#running.now(() => this.#native.overflowed(counted && whole('counted', counted)));
  }

  ask(view, window = 128_000) {
    if (view.question === undefined) return undefined;
    const asked = this.#running.now(() => this.#native.question(view.question, whole('window', window)));
    if (asked === null) return undefined;
    const { key, system, user, max_tokens: maxTokens, temperature } = JSON.parse(asked);
    return { key, round: view.report.question.round, system, user, maxTokens, temperature };
  }

  questionAhead() {
    return this.#running.now(() => this.#native.questionAhead() ?? undefined);
  }

  answer(key, text, finish = 'stop') {
    this.#running.now(() => this.#native.answer(key, text, finish));
  }

  giveUp(key) {
    this.#running.now(() => this.#native.giveUp(key));
  }

  checkpoint() {
    return this.#running.now(() => this.#native.checkpoint() ?? undefined);
  }

  reopen(checkpoint) {
    this.#running.now(() => this.#native.reopen(checkpoint));
  }

  pruning() {
    return camelKeys(JSON.parse(this.#running.now(() => this.#native.pruning())));
  }

  needsPruning() {
    return this.pruning().isWorthIt;
  }

  markModified(path) {
    this.#running.now(() => this.#native.markModified(String(path)));
  }

  isFull() {
    return this.#running.now(() => this.#native.isFull());
  }

  get cacheSeconds() {
    return this.#running.now(() => this.#native.cacheSeconds);
  }

  get format() {
    return this.#running.now(() => this.#native.format);
  }

  get epoch() {
    return this.#running.now(() => this.#native.epoch);
  }

  get length() {
    return this.#running.now(() => this.#native.length);
  }

  #taken(messages, take) {
    const handed = atOnce(this.#running.hand(copied(messages), take));
    const taken = handed.taken();
    handed.done();
    return taken;
  }

  #settled(folded) {
    return folded === null ? undefined : this.#running.view(folded);
  }
}

/** Waits until what was handed over is taken. */
async function settled(handed) {
  const taken = await handed.taken();
  handed.done();
  return taken;
}

module.exports = { Session, Running, settled };
