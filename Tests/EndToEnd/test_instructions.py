"""What a tick costs, in instructions and allocations: figures that repeat where times do not."""

import json
import os
import shutil
import subprocess

import pytest

from support.paths import ROOT

BENCH = os.environ.get("CANDLED_BENCH", str(ROOT / ".build/release/candled-bench"))

#: Instructions of parse, settle and three timeframes: measured, plus a tenth.
CEILING = {"instructions_per_tick": 504, "instructions_per_tick_1000_symbols": 928}

needs_bench = pytest.mark.skipif(not os.path.exists(BENCH), reason="candled-bench is not built")


def bench(*arguments):
    done = subprocess.run([BENCH, *arguments], stdout=subprocess.PIPE, check=True, timeout=120)
    return json.loads(done.stdout)


@needs_bench
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is missing")
def test_a_tick_takes_no_more_instructions_than_it_did():
    done = subprocess.run(
        [str(ROOT / "scripts/instructions"), "--json"], stdout=subprocess.PIPE, check=True, timeout=300,
        env={**os.environ, "CANDLED_BENCH": BENCH})
    counted = json.loads(done.stdout)
    for name, ceiling in CEILING.items():
        assert counted[name] <= ceiling, counted


@needs_bench
def test_parsing_and_settling_allocate_nothing_per_tick():
    assert bench("parse", "--ticks", "200000")["allocations_per_tick_1_a_frame"] < 0.001
    assert bench("settle", "--ticks", "200000")["allocations_per_tick"] < 0.001


@needs_bench
def test_a_forming_message_takes_its_values_and_its_frame_and_no_other_allocation():
    # Values, frame and its bytes, each once; hash tables and lists that grow are the rest.
    figures = bench("flow", "--frames", "50000")
    assert figures["messages"] >= 50000
    assert figures["allocations_per_frame"] < 3.2
    # A hundred readers get the same bytes.
    assert bench("flow", "--frames", "5000", "--readers", "100")["allocations_per_frame"] < 8


@needs_bench
def test_values_are_computed_without_allocations():
    figures = bench("indicators", "--candles", "10000")
    assert figures["allocations_per_preview"] == 0
    assert figures["allocations_per_commit"] == 0
    assert figures["state_bytes"] <= 4096


@needs_bench
def test_a_message_is_encoded_once_for_all_its_readers():
    figures = bench("hub", "--readers", "100", "--messages", "2000")
    assert figures["encoded_per_publication"] == 1
    assert figures["allocations_per_message"] < 0.05
