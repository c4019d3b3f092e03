"""How the live page is served: its files, their versions, what the document may do (contract, section 9)."""

import gzip
import http.client
import re

import pytest

from support.paths import ROOT
from support.waiting import PATIENCE


@pytest.fixture
def daemon(make_daemon):
    return make_daemon().start()


def fetch(daemon, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=PATIENCE)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def assets(daemon):
    """Paths that the document names."""
    status, _, body = fetch(daemon, "/")
    assert status == 200
    return sorted(set(re.findall(r'"(/assets/[^"]+)"', body.decode())))


def test_the_document_is_asked_for_again_and_answered_in_a_word(daemon):
    status, headers, body = fetch(daemon, "/")
    assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-cache" and headers["Content-Encoding"] is None
    status, again, nothing = fetch(daemon, "/", If_None_Match=headers["ETag"])
    assert (status, nothing) == (304, b"") and again["ETag"] == headers["ETag"]
    assert fetch(daemon, "/", If_None_Match='"other"')[0] == 200
    status, head, nothing = fetch(daemon, "/", method="HEAD")
    assert (status, nothing) == (200, b"") and head["Content-Length"] == str(len(body))


def test_the_document_may_load_from_its_own_daemon_only(daemon):
    headers = fetch(daemon, "/", Host="chart.example:8443")[1]
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'" and policy["script-src"] == "'self'" and policy["style-src"] == "'self'"
    assert policy["connect-src"] == "'self' ws://chart.example:8443 wss://chart.example:8443"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert not re.search(rb"https?://(?!www\.w3\.org)", fetch(daemon, "/")[2])


def test_assets_are_kept_for_ever_under_the_version_of_their_content(daemon):
    paths = assets(daemon)
    assert len(paths) > 10
    for path in paths:
        status, headers, plain = fetch(daemon, path)
        assert status == 200 and headers["Cache-Control"] == "public, max-age=31536000, immutable", path
        assert headers["X-Content-Type-Options"] == "nosniff" and "Accept-Encoding" in headers["Vary"], path
        source = ROOT / "Sources/CandlePage/Web" / path.rsplit("/", 1)[1]
        if source.exists():
            assert plain == source.read_bytes(), f"{path} is not what {source} says now"
    assert fetch(daemon, re.sub(r"/assets/\w+/", "/assets/0123456789abcdef/", paths[0]))[0] == 404
    assert fetch(daemon, "/assets/")[0] == 404


def test_compressed_everything_takes_150_kib_at_most(daemon):
    total = 0
    for path in ["/", *assets(daemon)]:
        status, headers, packed = fetch(daemon, path, Accept_Encoding="gzip, deflate, br")
        assert status == 200 and headers["Content-Encoding"] == "gzip", path
        assert gzip.decompress(packed) == fetch(daemon, path)[2] == fetch(daemon, path, Accept_Encoding="gzip;q=0")[2], path
        assert headers["ETag"] != fetch(daemon, path)[1]["ETag"], path
        total += len(packed)
    assert total <= 150 << 10, f"{total} bytes"


def test_with_stream_tokens_the_files_need_none_since_they_hold_no_data(make_daemon):
    daemon = make_daemon({"stream": {"tokens": ["s3cret"]}}).start()
    for path in ["/", *assets(daemon)]:
        assert fetch(daemon, path)[0] == 200, path
    assert fetch(daemon, "/v1/status")[0] == 401
