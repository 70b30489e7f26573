// The same for `import`. One copy of everything, whichever way it is loaded.
import enfold from './index.js';

export const {
  BadInput, BadOption, Broken, Busy, CannotFit, EnfoldError, Reentered, Session, StoreError, StoredSession, View, convert,
  convertSync, count, countSync, countText, fold, foldSync, inspect, inspectSync, ledger, ledgerSync, validate, validateSync,
} = enfold;
