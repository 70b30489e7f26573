'use strict';
// A view as objects: the host's own where nothing changed.

const { camelKeys } = require('./names.js');
const { Known } = require('./written.js');

/** What to send. */
class View {
  #native;
  #messages;
  #origins;
  #report;
  #lost;

  /** `made` are the objects that were made for the view before; afterwards, for this one. Outside a session there is none. */
  constructor(native, objects, made) {
    this.#native = native;
    const origins = native.origins();
    const before = made?.splice(0);
    const { unchanged } = native;
    const messages = new Array(origins.length);
    for (let nth = 0; nth < origins.length; nth++) {
      const origin = origins[nth];
      const isOwn = origin >= 0 && origin % 2 === 0 && objects[origin >> 1] !== undefined;
      if (isOwn) {
        messages[nth] = objects[origin >> 1];
        made?.push(undefined);
      } else if (made === undefined) {
        messages[nth] = JSON.parse(native.text(nth));
      } else {
        made.push(again(before[nth], nth < unchanged) ?? read(native.text(nth), nth));
        messages[nth] = made[nth].object;
      }
    }
    this.#messages = messages;
    this.#origins = origins;
  }

  get messages() {
    return this.#messages;
  }

  get origins() {
    return Array.from(this.#origins, (origin) => {
      if (origin < 0) return { kind: 'new' };
      return { kind: origin % 2 === 0 ? 'same' : 'changed', index: origin >> 1 };
    });
  }

  get texts() {
    return Array.from({ length: this.#native.length }, (_, nth) => this.#native.text(nth));
  }

  get system() {
    const system = this.#native.system;
    return system === null ? undefined : JSON.parse(system);
  }

  get format() {
    return this.#native.format;
  }

  get tokens() {
    return this.#native.tokens;
  }

  get unchanged() {
    return this.#native.unchanged;
  }

  get epoch() {
    return this.#native.epoch;
  }

  get opened() {
    return this.#native.opened ?? undefined;
  }

  get question() {
    return this.#native.question ?? undefined;
  }

  get originals() {
    const turns = this.#native.originals();
    return new Map(Array.from({ length: turns.length / 2 }, (_, nth) => [turns[2 * nth], turns[2 * nth + 1]]));
  }

  get dropped() {
    return this.#account.dropped;
  }

  get shortened() {
    return this.#account.shortened;
  }

  get #account() {
    this.#lost ??= camelKeys(JSON.parse(this.#native.account()));
    return this.#lost;
  }

  get trace() {
    return JSON.parse(this.#native.trace());
  }

  get report() {
    this.#report ??= JSON.parse(this.#native.report());
    return this.#report;
  }

  get events() {
    return this.report.events;
  }

  get tools() {
    return this.report.tools;
  }

  toString() {
    return `View of ${this.#messages.length} messages, ${this.tokens} tokens, epoch ${this.epoch}`;
  }
}

/** What was made for the view before serves again, unless the host has changed it. */
function again(known, isUnchanged) {
  return isUnchanged && known?.is(known.object) ? known : undefined;
}

function read(text, nth) {
  return Known.write(JSON.parse(text), nth);
}

module.exports = { View };
