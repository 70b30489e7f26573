-- Full-text search. The index knows which words stand in which message: a tenth of the texts' size, where one that knows
-- the places too takes a third. Phrases are looked for in the messages that hold their words. It is filled when
-- somebody searches, so that appending costs nothing for it and sessions nobody searches take no room in it.
-- A row's number is the session's key, 32 bits, and the message's number.
CREATE VIRTUAL TABLE words USING fts5 (
  text, content = '', contentless_delete = 1, detail = 'none', tokenize = "unicode61 remove_diacritics 2"
);
ALTER TABLE sessions ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0; -- messages in the index
