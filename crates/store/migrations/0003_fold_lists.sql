-- The folds of one request as one packed list instead of hundreds of rows: they are only ever read together. Every epoch
-- folds most of the same items again, so a list is packed with an earlier one as its dictionary where that helps much.
CREATE TABLE fold_lists (
  key     INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  epoch   INTEGER NOT NULL,
  number  INTEGER NOT NULL, -- requests of the epoch that folded something, in order
  size    INTEGER NOT NULL, -- bytes of the list
  base    INTEGER,          -- key of the list it is packed with, which is packed alone
  list    BLOB NOT NULL,    -- JSON list of folds; packed with zstd where that is shorter
  UNIQUE (session, epoch, number)
) STRICT;
INSERT INTO fold_lists (session, epoch, number, size, list)
  SELECT session, epoch, 0, length(list), list FROM (
    SELECT session, epoch, CAST(json_group_array(json_object(
        'pass', pass, 'kind', kind, 'items', json(items), 'why', why,
        'before', before, 'saved', saved, 'handles', json(handles))) AS BLOB) AS list
    FROM (SELECT * FROM folds ORDER BY session, epoch, number)
    GROUP BY session, epoch);
DROP TABLE folds;
