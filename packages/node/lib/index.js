'use strict';
// Enfold folds an agent's history to fit the model's window; every fold can be opened again. `index.d.ts` says what each does.

const errors = require('./errors.js');
const facts = require('./facts.js');
const look = require('./look.js');
const { Session } = require('./session.js');
const { StoredSession } = require('./stored.js');
const { View } = require('./view.js');

module.exports = {
  BadInput: errors.BadInput,
  BadOption: errors.BadOption,
  Broken: errors.Broken,
  Busy: errors.Busy,
  CannotFit: errors.CannotFit,
  EnfoldError: errors.EnfoldError,
  Reentered: errors.Reentered,
  Session,
  StoreError: errors.StoreError,
  StoredSession,
  View,
  ...facts,
  convert: look.convert,
  convertSync: look.convertSync,
  count: look.count,
  countSync: look.countSync,
  countText: look.countText,
  fold: look.fold,
  foldSync: look.foldSync,
  inspect: look.inspect,
  inspectSync: look.inspectSync,
  ledger: look.ledger,
  ledgerSync: look.ledgerSync,
  validate: look.validate,
  validateSync: look.validateSync,
};
