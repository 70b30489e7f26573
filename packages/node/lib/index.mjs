// The same for `import`. One copy of everything, whichever way it is loaded.
import enfold from './index.js';

export const {
  BadInput, BadOption, Broken, Busy, CannotFit, EnfoldError, Reentered, Session, StoreError, StoredSession, View, addIntent,
  changelog, changelogSync, convert, convertSync, count, countSync, countText, fileAt, fileAtSync, files, filesSync, fold, foldSync,
  inspect, inspectSync, ledger, ledgerSync, modelBudget, needsPruning, needsPruningSync, priorities, prioritiesSync, pruning,
  pruningSync, validate, validateSync,
} = enfold;
