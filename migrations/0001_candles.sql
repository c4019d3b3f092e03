-- Candles with their exact digits, and the view that people and charts read.
--
-- Layout: the key (series, open_time) WITHOUT ROWID keeps a series together, so the newest 500 candles are a handful
-- of pages; the index on version carries the key, so a replay since a version is a walk along the index.
--
-- Measured with 5 M rows of 10,000 series on tmpfs, SQLite 3.40.1, pages of 4 KiB:
--
--   layout                              insert 10,000   newest 500   since, 1,000   bytes a row
--   (series, open_time) WITHOUT ROWID           70 ms      0.18 ms         2.3 ms            94
--   packed integer key, rowid                   75 ms      0.17 ms         2.3 ms            83
--   version as rowid, index on the key          80 ms      1.30 ms         0.3 ms            86
--   (open_time, series) WITHOUT ROWID           18 ms      2.98 ms         0.6 ms            96
--
-- The packed key is out since SQL on the view could not use it for a range of open_time; the others since reading one
-- series is what charts and indicators do. Pages of 1, 2 or 8 KiB gained nothing.

CREATE TABLE meta (
  key   TEXT NOT NULL PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;

INSERT INTO meta (key, value) VALUES ('epoch', lower(hex(randomblob(16))));
INSERT INTO meta (key, value) VALUES ('last_version', 0);
-- The largest version that retention or a replacement has taken away; a replay from below it is not whole.
INSERT INTO meta (key, value) VALUES ('dropped_version', 0);

CREATE TABLE series (
  id        INTEGER PRIMARY KEY,
  symbol    TEXT NOT NULL,
  timeframe TEXT NOT NULL,
  UNIQUE (symbol, timeframe)
) STRICT;

-- A number is column / unit, and a unit is a power of ten. What does not fit into 64 bits is the decimal text, and its
-- unit is 1. volume_unit is the unit of taker_buy_volume too.
CREATE TABLE candle (
  series           INTEGER NOT NULL,
  open_time        INTEGER NOT NULL,
  version          INTEGER NOT NULL,
  open             ANY NOT NULL,
  high             ANY NOT NULL,
  low              ANY NOT NULL,
  close            ANY NOT NULL,
  price_unit       INTEGER NOT NULL,
  volume           ANY NOT NULL,
  taker_buy_volume ANY,
  volume_unit      INTEGER NOT NULL,
  turnover         ANY,
  turnover_unit    INTEGER NOT NULL,
  ticks            INTEGER,
  revision         INTEGER NOT NULL,
  settled_by       INTEGER NOT NULL,  -- 0 tick, 1 clock, 2 end, 3 history
  origin           INTEGER NOT NULL,  -- 0 ticks, 1 flat, 2 history
  complete         INTEGER NOT NULL,
  born_late        INTEGER NOT NULL,  -- 1: first published as `corrected`
  indicators       TEXT,
  PRIMARY KEY (series, open_time)
) STRICT, WITHOUT ROWID;

CREATE INDEX candle_version ON candle (version);

CREATE VIEW candles AS
SELECT
  s.symbol AS symbol,
  s.timeframe AS timeframe,
  c.open_time AS open_time,
  c.open * 1.0 / c.price_unit AS open,
  c.high * 1.0 / c.price_unit AS high,
  c.low * 1.0 / c.price_unit AS low,
  c.close * 1.0 / c.price_unit AS close,
  c.volume * 1.0 / c.volume_unit AS volume,
  c.turnover * 1.0 / c.turnover_unit AS turnover,
  c.taker_buy_volume * 1.0 / c.volume_unit AS taker_buy_volume,
  c.ticks AS ticks,
  c.revision AS revision,
  CASE c.settled_by WHEN 0 THEN 'tick' WHEN 1 THEN 'clock' WHEN 2 THEN 'end' ELSE 'history' END AS settled_by,
  CASE c.origin WHEN 0 THEN 'ticks' WHEN 1 THEN 'flat' ELSE 'history' END AS origin,
  c.complete AS complete,
  c.version AS version,
  c.indicators AS indicators,
  strftime('%Y-%m-%dT%H:%M:%SZ', c.open_time / 1000, 'unixepoch') AS opened_at
FROM series AS s
JOIN candle AS c ON c.series = s.id;
