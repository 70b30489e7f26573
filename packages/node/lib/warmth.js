'use strict';
// Whether a provider still has a conversation's last request in its cache, by the time since it was last used.

/** Of each session in memory, when its cache was last used. A stored session knows by itself, also across processes. */
class Warmth {
  #now;
  #used = new WeakMap();

  /** `now()` gives milliseconds since 1970, as `Date.now` does. */
  constructor(now = Date.now) {
    this.#now = now;
  }

  /** Whether changing what was sent costs nothing. Before the first request nothing was sent. */
  isCold(session) {
    const used = this.#used.get(session);
    return used === undefined || this.#now() - used > session.cacheSeconds * 1_000;
  }

  /** A request is sent now, or its answer is here: either way the provider has just looked at its cache. */
  use(session) {
    this.#used.set(session, this.#now());
  }
}

module.exports = { Warmth };
