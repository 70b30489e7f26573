-- What a session has sent, apart from its messages: one per session, the newest. Before, a view was made again by folding
-- again, which an update of a pass could change; how its epoch had been opened stood among the events.
CREATE TABLE checkpoints (
  session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
  size    INTEGER NOT NULL, -- bytes of the JSON
  packed  BLOB NOT NULL     -- JSON, packed with zstd
) STRICT;
DELETE FROM events WHERE kind = 'epoch:open';
