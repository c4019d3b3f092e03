"""Fixtures: daemons and exchanges that end with the test, and the log of a daemon beside a failure."""

import decimal
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from support.daemon import Daemon, TickFeed, merged  # noqa: E402
from support.exchange import Exchange  # noqa: E402

#: Sums are compared exactly.
decimal.getcontext().prec = 200


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    setattr(item, "failed", getattr(item, "failed", False) or report.failed)


@pytest.fixture
def make_daemon(tmp_path, request):
    """Makes daemons, each in a folder of its own; not started."""
    made = []

    def make(configuration=None, folder=None):
        if folder is None:
            folder = tmp_path / f"daemon{len(made)}"
            folder.mkdir()
        daemon = Daemon(folder, configuration)
        made.append(daemon)
        return daemon

    yield make
    for daemon in made:
        daemon.end()
        if getattr(request.node, "failed", False):
            print(f"--- log of the daemon in {daemon.folder.name}\n{daemon.log()[-4000:]}")
        # Of a daemon that was built with one: it goes on after most of what it finds.
        found = re.search(r"(WARNING|ERROR): \w+Sanitizer.*", log_of(daemon), re.DOTALL)
        assert not found, found.group()[:4000]


def log_of(daemon):
    """All that it ever logged."""
    return daemon.log_path.read_text(errors="replace") if daemon.log_path.exists() else ""


@pytest.fixture
def make_exchange():
    made = []

    def make(**options):
        made.append(Exchange(**options))
        return made[-1]

    yield make
    for exchange in made:
        exchange.end()


@pytest.fixture
def exchange(make_exchange):
    return make_exchange()


@pytest.fixture
def feed_daemon(make_daemon, exchange):
    """Starts a daemon on one feed `f` of symbol `TEST`; returns the feed, which knows both."""

    def make(configuration=None, symbol="TEST", start=True, **feed):
        entry = {"name": "f", "url": exchange.url(), "format": "csv", "symbol": symbol, **feed}
        daemon = make_daemon(merged({"feeds": [entry]}, configuration or {}))
        driver = TickFeed(daemon, exchange)
        if start:
            daemon.start().wait_ready()
        return driver

    return make
