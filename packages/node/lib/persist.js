'use strict';
// A host's `persistResult`: keeps originals where its agent can read them. It may be asynchronous, because the work waits for it on
// another thread.

const { BadOption } = require('./errors.js');
const { described } = require('./written.js');

/** Options without the function, and the function as the native part calls it: with a text, where that comes from, and a reply. */
function persisting({ persistResult, ...rest } = {}) {
  if (persistResult === undefined || persistResult === null) return { rest, keep: undefined };
  if (typeof persistResult !== 'function') {
    throw new BadOption(`persistResult: expected a function, not ${described(persistResult)}`);
  }
  const keep = (content, from, reply) => {
    kept(persistResult, content, from).then((path) => reply.path(path));
  };
  return { rest, keep };
}

/** The path. A function that fails does not stop the agent: the fold then names its handle alone. */
async function kept(persistResult, content, from) {
  try {
    const { tool_name: toolName, category, message_index: messageIndex } = JSON.parse(from);
    const place = { toolName: toolName ?? 'unknown', category: category ?? undefined, messageIndex: messageIndex ?? undefined };
    const path = await persistResult(content, place);
    return typeof path === 'string' ? path : undefined;
  } catch (error) {
    process.emitWarning(`persistResult failed: ${error?.message ?? error}`, 'EnfoldWarning');
    return undefined;
  }
}

/** What folds here and now cannot wait for a function that JavaScript has to call. */
function refuse(keep, later) {
  if (keep === undefined) return;
  throw new BadOption(`persistResult: it is asked while another thread folds; call ${later} and await it`);
}

// Who waits for a function holds one thread of Node's pool, and the function may need another one (`fs.promises` does). One at a time, so
// that there always is one.
let last = Promise.resolve();

/** Folds in its turn, where there is such a function. */
function inTurn(keep, fold) {
  if (keep === undefined) return fold();
  const done = last.then(fold);
  last = done.catch(() => {});
  return done;
}

module.exports = { inTurn, persisting, refuse };
