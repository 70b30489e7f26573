-- What the provider's counts have taught a session since its checkpoint. Every answer teaches something; writing all that was
-- sent once more for it cost work in proportion to the session.
CREATE TABLE learnt (
  session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
  json    TEXT NOT NULL
) STRICT;
