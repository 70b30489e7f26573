'use strict';
// Names between JavaScript (`lastStep`) and what Enfold writes (`last_step`).

/** `last_step` is `lastStep`. */
function camel(name) {
  return name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

/** `lastStep` is `last_step`. */
function snake(name) {
  return name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

/** A value with the keys of its objects as JavaScript writes them. No key of what Enfold tells is data. */
function camelKeys(value) {
  if (Array.isArray(value)) return value.map(camelKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [camel(key), camelKeys(inner)]));
}

module.exports = { camel, camelKeys, snake };
