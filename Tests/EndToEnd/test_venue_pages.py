"""docs/venues: the configurations there are valid, and what the pages say is sent is sent."""

import re

import pytest

from support.daemon import candled
from support.paths import ROOT
from support.waiting import eventually, wall_ms

PAGES = sorted(path.name for path in (ROOT / "docs" / "venues").glob("*.md"))
#: Of the page on other venues: the recorded message, moved to now.
RECORDED = (
    '{"time":1631824310,"channel":"spot.trades","event":"update","result":{"id":1638417041,"create_time":1631824310,'
    '"create_time_ms":"%d.896","side":"buy","currency_pair":"BTC_USDT","amount":"0.00052","price":"47395.009"}}')


def blocks(page, kind):
    text = (ROOT / "docs" / "venues" / page).read_text()
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def local(exchange, page):
    """The page's configuration with the local exchange's address."""
    [text] = blocks(page, "yaml")
    address = f'url: "{exchange.url("/page")}"'
    text = re.sub(r'url: "[^"]*"', address, text) if "url:" in text else text.replace("preset:", f"{address}, preset:")
    return "listen: 127.0.0.1:0\ndatabase: candles.db\nstream: { forming_interval: 0ms }\n" + text


@pytest.mark.parametrize("page", PAGES)
def test_the_configuration_of_a_page_is_valid(tmp_path, page):
    for text in blocks(page, "yaml"):
        (tmp_path / "candled.yaml").write_text(text)
        done = candled("check", "--config", "candled.yaml", cwd=tmp_path)
        assert done.code == 0, done


@pytest.mark.parametrize("page", [page for page in PAGES if page != "README.md"])
def test_what_a_page_says_is_sent(make_daemon, exchange, page):
    daemon = make_daemon(local(exchange, page)).start().wait_ready()
    [sent] = blocks(page, "json")
    connection = exchange.connection("/page")
    eventually(lambda: connection.received == sent.split("\n")[:-1], f"the subscription of {page}: {connection.received}")
    if page == "json.md":
        connection.send('{"channel":"spot.trades","event":"subscribe","result":{"status":"success"}}', RECORDED % wall_ms())
        eventually(lambda: daemon.accepted("gate") == 1, "the recorded trade")
        assert daemon.refused("gate") == {}
        candle = daemon.candles("BTCUSDT", "M1", forming=1)[-1]
        assert (str(candle["close"]), str(candle["taker_buy_volume"])) == ("47395.009", "0.00052")
