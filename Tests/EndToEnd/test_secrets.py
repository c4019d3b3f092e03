"""Tokens and keys appear in no log, status, metric or error, wherever they came from."""

import json

import pytest

from support.producer import Producer, Refused
from support.waiting import eventually

#: Each has a place of its own, so that a failure names it.
SECRETS = {
    "stream token": "stokenA1", "ingest token": "itokenB2", "wrong token": "guessC3", "wrong header": "guessD4",
    "query of a feed": "feedqueryE5", "subscription": "subscribeF6", "query of a history source": "historyG7",
    "query of the clock": "clockH8", "query of a refused feed": "refusedI9", "query of a feed without a host": "nohostJ1",
    "query of a feed with a bad certificate": "nocertK2",
}


def assert_hidden(*texts):
    for text in texts:
        for place, secret in SECRETS.items():
            assert secret not in text, f"the {place}: {text[max(0, text.find(secret) - 200):][:400]}"


def test_secrets_of_requests_and_of_the_configuration_are_shown_nowhere(make_daemon, make_exchange):
    good, refusing = make_exchange(), make_exchange()
    refusing.refusing = True
    s = SECRETS
    daemon = make_daemon({
        "stream": {"tokens": [s["stream token"]]}, "ingest": {"tokens": [s["ingest token"]]},
        "clock": {"source": "http", "url": f"http://127.0.0.1:1/time?key={s['query of the clock']}"},
        "feeds": [
            {"name": "good", "url": good.url("/ticks?key=" + s["query of a feed"]), "symbol": "A", "subscribe": [s["subscription"]],
             "history": {"url": f"http://127.0.0.1:1/h?key={s['query of a history source']}", "format": "candled"}},
            {"name": "refused", "url": refusing.url("/ticks?key=" + s["query of a refused feed"]), "symbol": "B"},
            {"name": "nohost", "url": f"ws://no-such-host.invalid/t?key={s['query of a feed without a host']}", "symbol": "C"},
            {"name": "nocert", "url": f"wss://127.0.0.1:{good.port}/t?key={s['query of a feed with a bad certificate']}", "symbol": "D"},
        ]}).start()
    bearer = {"Authorization": "Bearer " + s["stream token"]}
    answers = []

    def ask(path, headers=None):
        answers.append(daemon.request("GET", path, headers if headers is not None else bearer).text)

    ask("/v1/symbols?token=" + s["wrong token"], {})
    ask("/v1/symbols", {"Authorization": "Bearer " + s["wrong header"]})
    ask("/v1/symbols?token=" + s["stream token"], {})
    ask("/nowhere?token=" + s["stream token"], {})
    ask("/v1/candles?timeframe=M1&token=" + s["stream token"], {})
    ask("/api/v3/klines?symbol=NONE&interval=1m&token=" + s["stream token"], {})
    ask("/udf/history?symbol=NONE&token=" + s["stream token"], {})
    for query in ("?token=" + s["wrong token"], "?token=" + s["stream token"]):
        with pytest.raises(Refused):
            Producer(daemon.port, "/A", query)
    with pytest.raises(Refused):
        Producer(daemon.port, "/-bad", "?token=" + s["ingest token"])
    producer = Producer(daemon.port, "/A", "?ack=1&token=" + s["ingest token"])
    producer.send("not a tick")
    producer.ack(1)
    stream = daemon.subscriber("candle.M1.A", query="?token=" + s["stream token"])
    stream.send("{")
    stream.sync()
    # Every feed, the clock and what they say of themselves.
    eventually(lambda: daemon.log().count("feed is not connected") >= 3, "three feeds that fail")
    eventually(lambda: "feed connected" in daemon.log(), "the one that does not")
    eventually(lambda: good.connection("/ticks?key=" + s["query of a feed"]).received == [s["subscription"]], "its subscription")
    for path in ("/v1/status", "/metrics", "/readyz", "/v1/symbols", "/v1/gaps"):
        ask(path)
    # A configuration that is wrong is refused with its values, but for these.
    (daemon.folder / "candled.yaml").write_text(json.dumps({
        "stream": {"tokens": [s["stream token"], s["stream token"]]}, "ingest": {"tokens": [s["ingest token"] + "\n"]},
        "feeds": [{"name": "x", "url": "ftp://h/?key=" + s["query of a feed"], "symbol": "A", "subscribe": {"a": s["subscription"]}}]}))
    daemon.process.send_signal(1)
    eventually(lambda: "the new configuration is refused" in daemon.log(), "the refusal")
    producer.close()
    assert daemon.stop() == 0
    assert_hidden(daemon.log(), *answers, *stream.texts, *map(str, producer.messages))
