-- Times are milliseconds since 1970 (UTC). A key is ours alone; an id is what people and hosts call a session.

CREATE TABLE sessions (
  key          INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  name         TEXT NOT NULL,
  wire         TEXT NOT NULL,
  policy       TEXT NOT NULL,
  model        TEXT,
  created      INTEGER NOT NULL,
  updated      INTEGER NOT NULL,
  bytes        INTEGER NOT NULL DEFAULT 0, -- of all originals, replaced ones too
  revision     INTEGER NOT NULL DEFAULT 0, -- how often the host rewrote the past
  compactions  INTEGER NOT NULL DEFAULT 0,
  compacted    INTEGER,
  lease_owner  TEXT,
  lease_until  INTEGER,
  lease_number INTEGER NOT NULL DEFAULT 0  -- grows with each lease, so that a late holder is known as such
) STRICT;

-- Every original once, whoever holds it. Who holds what is found by reachability: a count would have to be kept right
-- by every statement ever written.
CREATE TABLE blobs (
  key        INTEGER PRIMARY KEY,
  prefix     INTEGER NOT NULL, -- of its blake3 hash: eight bytes, which make a small index
  hash       BLOB NOT NULL,    -- the other 24 bytes
  size       INTEGER NOT NULL, -- of the original
  dictionary INTEGER,          -- NULL: zstd by itself; 0: as it is; otherwise zstd with that dictionary
  bytes      BLOB NOT NULL
) STRICT;
CREATE INDEX blobs_by_prefix ON blobs (prefix);

-- A dictionary is text that a session holds anyway: the starts of blobs, in order. It takes no room of its own. It is
-- made of blobs packed by themselves or with an earlier dictionary of its chain; a chain begins at a message.
-- Keys are never used again, so that a dictionary may be remembered by its key.
CREATE TABLE dictionaries (
  key     INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  chain   INTEGER NOT NULL, -- the message at which its chain begins
  bytes   INTEGER NOT NULL, -- the session's when it was made
  share   INTEGER NOT NULL, -- bytes that a blob gives at most
  blobs   TEXT NOT NULL     -- JSON list of keys; empty: what follows is packed by itself
) STRICT;
CREATE INDEX dictionaries_of_session ON dictionaries (session);

CREATE TABLE messages (
  session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  number  INTEGER NOT NULL,
  slot    INTEGER NOT NULL, -- 0: in the list; 1: the head beside it
  blob    INTEGER NOT NULL,
  PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;

-- What stood there before the host rewrote the past.
CREATE TABLE replaced (
  session  INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  revision INTEGER NOT NULL, -- the last one in which it stood
  number   INTEGER NOT NULL,
  slot     INTEGER NOT NULL,
  blob     INTEGER NOT NULL,
  PRIMARY KEY (session, revision, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE epochs (
  session  INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  epoch    INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  reason   TEXT,             -- why it was opened
  policy   TEXT NOT NULL,
  messages INTEGER NOT NULL, -- messages its newest view is made of
  before   INTEGER NOT NULL, -- tokens
  after    INTEGER NOT NULL,
  target   INTEGER NOT NULL, -- tokens the view had to fit
  PRIMARY KEY (session, epoch)
) STRICT, WITHOUT ROWID;

CREATE TABLE folds (
  session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  epoch   INTEGER NOT NULL,
  number  INTEGER NOT NULL,
  pass    TEXT NOT NULL,
  kind    TEXT NOT NULL,
  items   TEXT NOT NULL, -- JSON list of item ids
  why     TEXT NOT NULL,
  before  INTEGER,       -- tokens of what it folds, where known
  saved   INTEGER NOT NULL,
  handles TEXT NOT NULL, -- JSON list of handles
  PRIMARY KEY (session, epoch, number)
) STRICT, WITHOUT ROWID;

-- What a handle opens: a whole blob, a piece of one, or several as lines. `nth` tells apart originals that share
-- their nine digits; the newest one is the one meant.
CREATE TABLE handles (
  session  INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  digits   INTEGER NOT NULL,
  nth      INTEGER NOT NULL,
  blob     INTEGER,
  start    INTEGER,
  stop     INTEGER,
  spelling INTEGER, -- 0: a JSON string; 1: as it stands
  lines    TEXT,    -- JSON list of blobs
  PRIMARY KEY (session, digits, nth)
) STRICT, WITHOUT ROWID;

CREATE TABLE answers (
  session  INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  question TEXT NOT NULL,
  text     TEXT NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (session, question)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage (
  session     INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  number      INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  messages    INTEGER NOT NULL,
  input       INTEGER NOT NULL,
  cache_read  INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output      INTEGER NOT NULL,
  PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  number  INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  json    TEXT NOT NULL,
  PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;
