'use strict';
// Sessions that are kept in a database. Every call may wait for a disk, another process or a model: all are promises.

const native = require('./native.js');
const { waiting } = require('./errors.js');
const { copied, inSlices } = require('./list.js');
const { camelKeys } = require('./names.js');
const { inTurn, persisting } = require('./persist.js');
const { Running, settled } = require('./session.js');
const { Known, options, whole } = require('./written.js');

/** A session in a SQLite database. */
class StoredSession {
  #native;
  #onEvent;
  #running = new Running();
  id;
  #clock;
  #keep;

  constructor(secret, id, onEvent, clock) {
    if (secret !== OPENED) throw new TypeError('a stored session is opened: await StoredSession.open(path, id, options)');
    this.id = id;
    this.#onEvent = onEvent;
    this.#clock = clock;
  }

  static async open(path, id, { onEvent, now, ...given } = {}) {
    const { rest, keep } = persisting(given);
    const session = new StoredSession(OPENED, id, onEvent, now);
    const wake = onEvent && (() => session.#tell());
    session.#keep = keep;
    session.#native = await waiting(() => native.openStored(String(path), id, options(rest), wake, keep));
    return session;
  }

  async push(message) {
    return this.#next(async () => {
      await this.#load();
      const known = Known.write(message, this.#running.objects.length);
      await this.#native.push(known.text);
      this.#running.grow(known);
    });
  }

  async sync(messages) {
    const list = copied(messages);
    return this.#next(async () => this.#take(list, (kept, texts) => this.#native.sync(kept, texts)));
  }

  async prepare(messages) {
    const list = messages === undefined ? undefined : copied(messages);
    return this.#next(async () => {
      if (list !== undefined) {
        const take = (kept, texts) => inTurn(this.#keep, () => this.#native.prepare(kept, texts));
        return this.#running.view(await this.#take(list, take));
      }
      await this.#load();
      return this.#running.view(await inTurn(this.#keep, () => this.#native.prepare(0, undefined)));
    });
  }

  async settle() {
    return this.#next(async () => {
      await this.#load();
      const folded = await inTurn(this.#keep, () => this.#native.settle());
      return folded === null ? undefined : this.#running.view(folded);
    });
  }

  async work(work) {
    try {
      return await work(this);
    } finally {
      await this.settle();
    }
  }

  async recall(handle) {
    return this.#next(async () => (await this.#native.recall(String(handle))) ?? undefined);
  }

  async search(query, limit = 20) {
    return this.#next(async () => JSON.parse(await this.#native.search(query, whole('limit', limit))));
  }

  async pruning() {
    return this.#next(async () => camelKeys(JSON.parse(await this.#native.pruning())));
  }

  async needsPruning() {
    return (await this.pruning()).isWorthIt;
  }

  async lastView() {
    return this.#next(async () => (await this.#native.lastTexts()).map((text) => JSON.parse(text)));
  }

  async about() {
    return this.#next(async () => camelKeys(JSON.parse(await this.#native.figures())));
  }

  async compacted({ sinceCompaction = false } = {}) {
    return this.#next(async () => camelKeys(JSON.parse(await this.#native.fates(Boolean(sinceCompaction)))));
  }

  async report({ inputTokens, cacheRead = 0, cacheWrite = 0, outputTokens = 0 }) {
    const given = Object.entries({ inputTokens, cacheRead, cacheWrite, outputTokens });
    return this.#next(() => this.#native.report(...given.map(([name, count]) => whole(name, count))));
  }

  async overflowed(counted) {
    return this.#next(() => this.#native.overflowed(counted && whole('counted', counted)));
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

  async #take(list, take) {
    return settled(await inSlices(this.#running.hand(list, take)));
  }

  /** What was stored before has no objects of the host's yet: those of the texts stand in for them. */
  async #load() {
    if (this.#running.objects.length > 0 || this.#native.length === 0) return;
    this.#running.objects = (await this.#native.texts()).map((text) => JSON.parse(text));
  }

  /** One call after the other. What happened meanwhile is told before it returns. */
  #next(call) {
    return this.#running.next(async () => {
      try {
        if (this.#clock !== undefined) this.#native.at(this.#clock());
        return await call();
      } finally {
        this.#tell();
      }
    });
  }

  /** A listener that throws does not stop the session. */
  #tell() {
    if (this.#onEvent === undefined || this.#native === undefined) return;
    for (const event of this.#native.hear()) {
      try {
        this.#onEvent(JSON.parse(event));
      } catch (error) {
        process.emitWarning(`an event's listener failed: ${error?.message ?? error}`, 'EnfoldWarning');
      }
    }
  }
}

const OPENED = Symbol('opened');

module.exports = { StoredSession };
