"""The text format: what a line may look like, and why it is refused (contract, section 2)."""

import pytest

from support.model import DAY, MINUTE
from support.waiting import eventually, wall_ms

#: Event times lie ahead of the clock, so that the clock settles nothing and only the ticks decide.
AHEAD = {"settlement": {"max_ahead": "1d", "correction_window": "60s"}, "timeframes": ["M1", "M5"], "stream": {"forming_interval": "0ms"}}


def minute_ahead(minutes=10):
    return (wall_ms() // MINUTE + minutes) * MINUTE


def forming(feed, timeframe="M1", open_time=None):
    """The newest candle; with `open_time` once it is that one, since a close is stored before what follows it shows."""

    def newest():
        page = feed.daemon.candles("TEST", timeframe, forming=1)
        return page[-1] if page and open_time in (None, page[-1]["open_time"]) else None

    return eventually(newest, f"the forming candle {open_time}")


GOOD = [
    ("plain", "{ms},36500.25,0.5,1", 36500.25, 0.5),
    ("without_an_id", "{ms},36500.25,0.5", 36500.25, 0.5),
    ("without_a_volume", "{ms},36500.25", 36500.25, 0),
    ("with_an_empty_volume", "{ms},36500.25,,7", 36500.25, 0),
    ("with_spaces_around_fields", "  {ms} , 36500.25 ,  0.5 ", 36500.25, 0.5),
    ("with_no_digit_before_the_point", "{ms},.5,.25", 0.5, 0.25),
    ("with_no_digit_after_the_point", "{ms},5.,2.", 5, 2),
    ("with_a_plus_sign", "{ms},+5,+2", 5, 2),
    ("with_an_exponent", "{ms},1e-8,25E-1", 1e-8, 2.5),
    ("with_leading_zeros", "{ms},000000000000000000000000012.5,00.50", 12.5, 0.5),
    ("with_trailing_zeros", "{ms},12.500000000000000000000000000,1.0000", 12.5, 1),
    ("with_a_textual_id", "{ms},12.5,1,a-7f3c", 12.5, 1),
]


def test_every_way_to_write_a_number_is_read_from_its_digits(feed_daemon):
    feed = feed_daemon(AHEAD)
    start = minute_ahead(2)
    for number, (rule, line, price, volume) in enumerate(GOOD):
        feed.ticks(line.format(ms=start + number * MINUTE))
        candle = forming(feed, open_time=start + number * MINUTE)
        assert (float(candle["open"]), float(candle["volume"])) == (price, volume), (rule, candle)
    assert feed.daemon.refused() == {}


BAD = [
    ("malformed", "{ms}"),
    ("malformed", "hello"),
    ("malformed", "{ms},1,2,3,4"),
    ("malformed", '{{"price":1}}'),
    ("bad_timestamp", "soon,100,1"),
    ("bad_timestamp", ",100,1"),
    ("bad_timestamp", "-{ms},100,1"),
    ("bad_timestamp", "NaN,100,1"),
    ("bad_price", "{ms},cheap,1"),
    ("bad_price", "{ms},,1"),
    ("bad_price", "{ms},NaN,1"),
    ("bad_price", "{ms},inf,1"),
    ("bad_price", "{ms},0,1"),
    ("bad_price", "{ms},0.000,1"),
    ("bad_price", "{ms},-5,1"),
    ("bad_price", "{ms},1.2.3,1"),
    ("bad_price", "{ms},0x10,1"),
    ("bad_price", "{ms},1e,1"),
    ("bad_price", "{ms},1 2,1"),
    ("bad_price", "{ms},.,1"),
    ("bad_volume", "{ms},100,much"),
    ("bad_volume", "{ms},100,-1"),
    ("bad_volume", "{ms},100,nan"),
    ("bad_volume", "{ms},100,Infinity"),
    ("precision", "{ms},1.234567890123456789,1"),
    ("precision", "{ms},0.0000000000000000001,1"),
    ("precision", "{ms},1000000000000000000,1"),
    ("precision", "{ms},1e18,1"),
    ("precision", "{ms},1e-19,1"),
    ("precision", "{ms},100,1234567890123456789"),
    ("too_far_ahead", "{far},100,1"),
    ("too_late", "{old},100,1"),
    ("too_late", "1000,100,1"),
]


def test_a_bad_line_is_refused_with_its_reason_and_never_hurts_the_good_ones_of_its_frame(feed_daemon):
    feed = feed_daemon(AHEAD)
    start = minute_ahead()
    now = wall_ms()
    expected = {}
    for number, (reason, line) in enumerate(BAD):
        at = start + number
        bad = line.format(ms=at, far=now + 2 * DAY, old=now - 10 * MINUTE)
        feed.ticks(f"{at},100,1,{2 * number}", bad, f"{at},101,1,{2 * number + 1}")
        expected[reason] = expected.get(reason, 0) + 1
        assert feed.daemon.refused() == expected, line
    candle = forming(feed)
    assert (candle["ticks"], candle["volume"], candle["high"], candle["low"]) == (2 * len(BAD), 2 * len(BAD), 101, 100)


def test_a_duplicate_trade_id_is_counted_once_in_one_frame_and_in_consecutive_frames(feed_daemon):
    """S60, S61: the venue resends the same ids again and again."""
    feed = feed_daemon(AHEAD)
    at = minute_ahead()
    feed.ticks(f"{at},100,1,1", f"{at},100,1,1", f"{at},100,1,2")
    for _ in range(70):
        feed.send(f"{at},100,1,1\n{at},100,1,2")
    feed.ticks(f"{at},100,1,3")
    assert feed.daemon.refused() == {"duplicate": 141}
    assert forming(feed)["volume"] == 3


def test_identical_lines_without_an_id_are_distinct_trades(feed_daemon):
    feed = feed_daemon(AHEAD)
    at = minute_ahead()
    feed.ticks(*[f"{at},100,1"] * 5)
    assert feed.daemon.refused() == {}
    assert forming(feed)["volume"] == 5


def test_the_volume_sum_that_would_not_fit_is_refused_as_overflow_and_never_wraps(feed_daemon):
    """S72."""
    feed = feed_daemon(AHEAD)
    at = minute_ahead()
    most = "999999999999999999"
    tiny = "0.000000000000000001"
    # The sum of a candle is exact, so at some point a mix of very large and very small volumes cannot be held.
    feed.ticks(f"{at},1,{tiny}")
    for _ in range(40):
        feed.send("\n".join([f"{at},1,{most}"] * 500))
    feed.wait(20_001)
    candle = forming(feed)
    refused = feed.daemon.refused()
    assert set(refused) <= {"overflow"}
    accepted = 20_001 - refused.get("overflow", 0)
    assert candle["ticks"] == accepted
    assert candle["volume"] * 10**18 == (accepted - 1) * int(most) * 10**18 + 1


def test_binary_frames_are_read_like_text_frames(feed_daemon):
    feed = feed_daemon(AHEAD)
    at = minute_ahead()
    feed.send(f"{at},100,1\n{at},101,2\n".encode())
    feed.send(f"{at},102,3")
    feed.wait(3)
    assert forming(feed)["volume"] == 6


def test_a_binary_frame_that_is_no_text_is_refused_and_the_connection_stays(feed_daemon):
    feed = feed_daemon(AHEAD)
    at = minute_ahead()
    connection = feed.connection
    feed.send(b"\xff\xfe\x00\x01\n" + f"{at},100,1".encode())
    feed.wait(2)
    assert feed.daemon.refused() == {"malformed": 1}
    assert feed.connection is connection


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("last", [True, False], ids=["last_line_ended", "last_line_not_ended"])
def test_lines_end_with_lf_or_crlf_and_blank_lines_are_skipped(feed_daemon, end, last):
    feed = feed_daemon(AHEAD)
    at = minute_ahead()
    lines = ["", f"{at},100,1", "", "   ", f"{at},101,2", f"{at},102,3"]
    feed.send(end.join(lines) + (end if last else ""))
    feed.wait(3)
    assert feed.daemon.refused() == {}
    candle = forming(feed)
    assert (candle["ticks"], candle["volume"], candle["close"]) == (3, 6, 102)


@pytest.mark.parametrize("unit, text", [
    ("auto", "{s}"), ("auto", "{s}.999"), ("auto", "{ms}"), ("auto", "{ms}.9999"), ("auto", "{us}"), ("auto", "{us}.7"),
    ("auto", "{ns}"), ("s", "{s}"), ("s", "{s}.999999"), ("ms", "{ms}.5"), ("us", "{us}"), ("ns", "{ns}"),
])
def test_timestamps_of_every_unit_are_floored_to_their_instant(feed_daemon, unit, text):
    """The last instant of a minute stays in it, whatever its fraction: rounding would move it into the next."""
    feed = feed_daemon(AHEAD, timestamp=unit)
    at = minute_ahead()
    last = at + MINUTE - 1
    line = text.format(
        s=last // 1000, ms=last, us=last * 1000 + 999, ns=last * 1_000_000 + 999_999)
    feed.ticks(f"{line},100,1")
    assert feed.daemon.refused() == {}
    assert forming(feed)["open_time"] == at


def test_a_jump_of_the_unit_by_a_thousand_is_refused_and_makes_no_candle(feed_daemon):
    """S86: a venue's stamps went from ms to µs; with a declared unit such a line is refused, with a reason."""
    feed = feed_daemon(AHEAD, timestamp="ms")
    at = minute_ahead()
    feed.ticks(f"{at},100,1")
    feed.ticks(f"{at * 1000},101,1")
    assert sum(feed.daemon.refused().values()) == 1
    assert forming(feed)["close"] == 100
    assert feed.daemon.candles("TEST", "M1") == []


def test_fractions_of_a_millisecond_order_ticks_within_it(feed_daemon):
    feed = feed_daemon(AHEAD)
    at = minute_ahead()
    feed.ticks(f"{at}.9,3,1", f"{at}.1,1,1", f"{at}.5,2,1")
    candle = forming(feed)
    assert (candle["open"], candle["close"]) == (1, 3)


def test_nonpositive_prices_are_accepted_where_a_feed_allows_them(feed_daemon):
    feed = feed_daemon(AHEAD, allow_nonpositive_price=True)
    at = minute_ahead()
    feed.ticks(f"{at},-37.63,1", f"{at},0,1", f"{at},-1e-8,1")
    assert feed.daemon.refused() == {}
    candle = forming(feed)
    assert (str(candle["open"]), candle["high"], str(candle["low"]), float(candle["close"])) == ("-37.63", 0, "-37.63", -1e-8)


def test_a_zero_price_never_becomes_a_low(feed_daemon):
    """S25: prices 100, 0, 101, of which the last by time was delivered second."""
    feed = feed_daemon(AHEAD)
    at = minute_ahead()
    feed.ticks(f"{at},100,1", f"{at + 300},100.5,1", f"{at + 100},0,1", f"{at + 200},101,1")
    candle = forming(feed)
    assert feed.daemon.refused() == {"bad_price": 1}
    assert (candle["low"], candle["high"], float(candle["close"])) == (100, 101, 100.5)


def test_a_refused_line_is_logged_with_its_text_cut_at_200_bytes(feed_daemon):
    feed = feed_daemon(AHEAD)
    feed.ticks("x" * 500 + "END")
    log = eventually(lambda: feed.daemon.log() if "malformed" in feed.daemon.log() else None, "the log line")
    line = next(line for line in log.splitlines() if "malformed" in line)
    assert "x" * 200 in line and "x" * 201 not in line


def test_refused_lines_are_logged_at_a_limited_rate(feed_daemon):
    feed = feed_daemon(AHEAD)
    for _ in range(20):
        feed.send("\n".join(["nonsense"] * 1000))
    feed.wait(20_000)
    assert feed.daemon.refused() == {"malformed": 20_000}
    assert feed.daemon.log().count("nonsense") < 200


def test_reasons_are_checked_in_the_order_of_the_contract(feed_daemon):
    feed = feed_daemon(AHEAD)
    at = minute_ahead()
    feed.ticks(f"{at},100,1,1")
    now = wall_ms()
    far, old = now + 2 * DAY, now - 10 * MINUTE
    for line, reason in [
        ("soon,bad,bad,1,1,1", "malformed"), ("soon,bad,bad,1", "bad_timestamp"), (f"{at},bad,bad,1", "bad_price"),
        (f"{at},1e30,bad,1", "bad_volume"), (f"{at},-1e30,1,1", "bad_price"), (f"{far},1e30,1,1", "precision"),
        (f"{far},1,1,1", "too_far_ahead"), (f"{old},1,1,1", "too_late"), (f"{at},1,1,1", "duplicate"),
    ]:
        before = feed.daemon.refused().get(reason, 0)
        feed.ticks(line)
        assert feed.daemon.refused().get(reason, 0) == before + 1, (line, reason, feed.daemon.refused())
