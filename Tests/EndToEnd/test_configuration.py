"""Configuration: everything that is wrong is listed with its place, and exit 78 (contract, section 8)."""

import json

import pytest

from support.daemon import candled


def check(folder, text, command="check"):
    (folder / "candled.yaml").write_text(text if isinstance(text, str) else json.dumps(text))
    return candled(command, "--config", "candled.yaml", cwd=folder)


def output(done):
    return done.out + done.error


def test_no_file_at_all_is_a_valid_configuration(tmp_path):
    done = candled("check", cwd=tmp_path)
    assert done.code == 0, done


def test_an_empty_file_is_a_valid_configuration(tmp_path):
    assert check(tmp_path, "").code == 0
    assert check(tmp_path, "# only a comment\n").code == 0
    assert check(tmp_path, "{}").code == 0


def test_a_named_file_that_is_missing_is_an_error(tmp_path):
    done = candled("check", "--config", "nowhere.yaml", cwd=tmp_path)
    assert done.code == 78 and "nowhere.yaml" in output(done)


EVERY_KEY = """
listen: 127.0.0.1:0
database: candles.db
timeframes: [M1, M5, M15]
settlement: { grace: 1s, correction_window: 60s, empty_candles: flat, flat_limit: 1440, max_ahead: 5s }
clock: { source: system }
stream: { forming_interval: 100ms, max_backlog: 4MiB, tokens: [] }
ingest: { tokens: [], allowed_origins: [], timestamp: auto }
durability: process
retention: { M1: 0, M5: 0, M15: 0 }
journal: { keep: 0 }
limits: { pending: 256MiB, max_message: 1MiB, connections: 20000, connections_per_address: 10000, topics_per_connection: 1000, symbols: 100000 }
tls: null
indicators: { convention: tdx, store: false, ma: [5, 10, 20], ema: [], mavol: [5, 10], boll: [20, 2], macd: [12, 26, 9], kdj: [9, 3, 3], rsi: [6, 12, 24], wr: [10, 6] }
feeds:
  - { name: local, url: "ws://127.0.0.1:9001/ticks", format: csv, symbol: BTCUSDT }
"""


def test_the_configuration_of_the_contract_is_valid(tmp_path):
    done = check(tmp_path, EVERY_KEY)
    assert done.code == 0, done


def test_json_is_accepted(tmp_path):
    assert check(tmp_path, {"listen": "127.0.0.1:0", "timeframes": ["M1"], "settlement": {"grace": "2s"}}).code == 0


#: (the text, line, path of the key, what else the message holds)
WRONG = [
    ("listn: 127.0.0.1:0", 1, "listn", []),
    ("settlement:\n  grase: 1s", 2, "settlement.grase", []),
    ("database: a.db\ndatabase: b.db", 2, "database", []),
    ("timeframes: [M1, M2]", 1, "timeframes", ["M2"]),
    ("timeframes: M1", 1, "timeframes", []),
    ("timeframes: []", 1, "timeframes", []),
    ("timeframes: [M1, M1]", 1, "timeframes", ["M1"]),
    ("settlement: { grace: 1 }", 1, "settlement.grace", ["1"]),
    ("settlement: { grace: fast }", 1, "settlement.grace", ["fast"]),
    ("settlement: { grace: -1s }", 1, "settlement.grace", ["-1s"]),
    ("settlement: { empty_candles: sometimes }", 1, "settlement.empty_candles", ["sometimes", "flat", "none"]),
    ("settlement: { flat_limit: many }", 1, "settlement.flat_limit", ["many"]),
    ("settlement: { flat_limit: -1 }", 1, "settlement.flat_limit", ["-1"]),
    ("settlement: 5", 1, "settlement", []),
    ("clock: { source: sun }", 1, "clock.source", ["sun", "system", "feed"]),
    ("stream: { max_backlog: 0 }", 1, "stream.max_backlog", ["0"]),
    ("stream: { max_backlog: 4MB8 }", 1, "stream.max_backlog", ["4MB8"]),
    ("stream: { forming_interval: never }", 1, "stream.forming_interval", ["never"]),
    ("listen: 8787", 1, "listen", ["8787"]),
    ("listen: 127.0.0.1:99999", 1, "listen", ["99999"]),
    ("durability: none", 1, "durability", ["none", "process", "power"]),
    ("indicators: { ma: five }", 1, "indicators.ma", ["five"]),
    ("indicators: { ma: [0] }", 1, "indicators.ma", ["0"]),
    ("indicators: { store: 2 }", 1, "indicators.store", ["2"]),
    ("indicators: { convention: tarot }", 1, "indicators.convention", ["tarot", "tdx"]),
    ("feeds: [ { url: 'ws://127.0.0.1:1/', format: csv, symbol: A } ]", 1, "feeds[0].name", []),
    ("feeds: [ { name: a, format: csv, symbol: A } ]", 1, "feeds[0].url", []),
    ("feeds: [ { name: a, url: 'http://127.0.0.1:1/', format: csv, symbol: A } ]", 1, "feeds[0].url", ["ws://", "wss://"]),
    ("feeds: [ { name: a, url: 'ws://127.0.0.1:1/', format: csv } ]", 1, "feeds[0].symbol", []),
    ("feeds: [ { name: a, url: 'ws://127.0.0.1:1/', format: csv, symbol: 'A B' } ]", 1, "feeds[0].symbol", ["A B"]),
    ("feeds: [ { name: a, url: 'ws://127.0.0.1:1/', format: xml, symbol: A } ]", 1, "feeds[0].format", ["xml", "csv"]),
    ("feeds: [ { name: a, url: 'ws://127.0.0.1:1/', format: csv, symbol: A, timestamp: minutes } ]", 1, "feeds[0].timestamp", ["minutes"]),
    ("feeds: [ { name: a, url: 'ws://127.0.0.1:1/', format: csv, symbol: A, silence: soon } ]", 1, "feeds[0].silence", ["soon"]),
    ("feeds:\n  - { name: a, url: 'ws://127.0.0.1:1/', symbol: A }\n  - { name: a, url: 'ws://127.0.0.1:2/', symbol: B }", 3, "feeds[1].name", []),
    ("limits: { symbols: 0 }", 1, "limits.symbols", ["0"]),
    ("tls: { certificate: a.pem }", 1, "tls.key", []),
]


@pytest.mark.parametrize("text, line, path, holds", WRONG, ids=[f"{n:02}-{one[2]}" for n, one in enumerate(WRONG)])
def test_a_wrong_key_or_value_is_named_with_file_line_path_value_and_what_was_expected(tmp_path, text, line, path, holds):
    done = check(tmp_path, text)
    assert done.code == 78, done
    for part in ["candled.yaml", f":{line}", path, *holds]:
        assert part in output(done), (part, output(done))


def test_every_problem_is_listed_not_only_the_first(tmp_path):
    done = check(tmp_path, "listn: x\ntimeframes: [M7]\nsettlement:\n  grace: fast\n  nothing: 1\nfeeds:\n  - { name: a }\n")
    assert done.code == 78
    for path in ("listn", "timeframes", "settlement.grace", "settlement.nothing", "feeds[0].url"):
        assert path in output(done)


@pytest.mark.parametrize("text", ["a: [", "a: b: c", "\tx: 1", "a: 'open", "- just\n- a list", "{", "\x00"], ids=repr)
def test_a_syntax_error_is_named_with_its_line(tmp_path, text):
    done = check(tmp_path, text)
    assert done.code == 78 and "candled.yaml" in output(done)


def test_run_refuses_a_wrong_configuration_with_all_problems_and_touches_nothing(tmp_path):
    done = check(tmp_path, "listn: x\ntimeframes: [M7]\n", command="run")
    assert done.code == 78
    assert "listn" in output(done) and "M7" in output(done)
    assert [path.name for path in tmp_path.iterdir()] == ["candled.yaml"]


def test_a_token_is_never_shown(tmp_path):
    done = check(tmp_path, "ingest: { tokens: [s3cret, s3cret] }\nlistn: 1\n")
    assert done.code == 78 and "s3cret" not in output(done)
