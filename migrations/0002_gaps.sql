-- Stretches about which nothing is known. One is identified by its symbol and beginning.

CREATE TABLE gap (
  symbol    TEXT NOT NULL,
  from_time INTEGER NOT NULL,
  to_time   INTEGER,           -- NULL while it lasts
  reason    TEXT NOT NULL,
  filled    INTEGER NOT NULL,
  version   INTEGER NOT NULL,
  PRIMARY KEY (symbol, from_time)
) STRICT, WITHOUT ROWID;

CREATE INDEX gap_version ON gap (version);

CREATE VIEW gaps AS
SELECT symbol, from_time, to_time, reason, filled FROM gap;
