"""Tokens of the stream and the HTTP API (contract, section 5)."""

import pytest
import websockets

from support.stream import Subscriber

GUARDED = ["/v1/candles?symbol=TEST&timeframe=M1", "/v1/symbols", "/v1/status", "/v1/gaps"]


@pytest.fixture
def guarded(make_daemon):
    return make_daemon({"stream": {"tokens": ["first", "s3cret"]}}).start()


def test_with_stream_tokens_the_api_wants_one(guarded):
    for path in GUARDED:
        assert guarded.request("GET", path).status == 401, path
        assert guarded.request("GET", path, {"Authorization": "Bearer wrong"}).status == 401, path
        assert guarded.request("GET", path, {"Authorization": "Bearer s3cret"}).status != 401, path
        separator = "&" if "?" in path else "?"
        assert guarded.request("GET", f"{path}{separator}token=first").status != 401, path


def test_with_stream_tokens_the_stream_wants_one_before_the_upgrade(guarded):
    url = f"ws://127.0.0.1:{guarded.port}/v1/stream"
    for query in ("", "?token=wrong", "?token="):
        with pytest.raises(websockets.InvalidStatus) as caught:
            Subscriber(url + query)
        assert caught.value.response.status_code == 401
    stream = guarded.subscriber("candle.*.*", query="?token=s3cret")
    stream.sync()


def test_with_stream_tokens_answers_carry_no_cors_header(guarded):
    answer = guarded.request("GET", "/v1/symbols", {"Authorization": "Bearer s3cret"})
    assert answer.status == 200 and answer.headers["Access-Control-Allow-Origin"] is None


def test_with_stream_tokens_a_service_manager_still_sees_whether_it_is_alive(guarded):
    assert guarded.get("/healthz").status == 200


def test_a_token_is_neither_logged_nor_served(guarded):
    guarded.request("GET", "/v1/symbols?token=s3cret")
    guarded.request("GET", "/v1/symbols?token=wr0ng")
    status = guarded.request("GET", "/v1/status", {"Authorization": "Bearer s3cret"})
    assert "s3cret" not in status.text and "s3cret" not in guarded.log()
