"""The parts of candled by themselves; nothing to compare them with but themselves."""

from running import bench, rounds


def run(peers, report):
    small = report.quick
    ticks = 500_000 if small else 2_000_000
    work = {
        "parse, 1 line a frame": lambda: parse(ticks, 1),
        "parse, 100 lines a frame": lambda: parse(ticks, 100),
        "parse + settle, 1 symbol": lambda: unit(bench("settle", "--ticks", ticks), "tick"),
        "parse + settle, 1,000 symbols": lambda: unit(bench("settle", "--ticks", ticks, "--symbols", 1_000), "tick"),
        "lines to stored candles, 1,000 symbols, a tick": lambda: unit(
            bench("replay", "--ticks", ticks, "--symbols", 1_000), "tick"),
        "frame of one tick to its reader's frame": lambda: unit(bench("flow", "--frames", ticks // 5), "frame"),
        "frame of 100 ticks to its reader's frame": lambda: unit(
            bench("flow", "--frames", ticks // 100, "--lines", 100), "frame"),
        "preview of 19 values": lambda: unit(bench("indicators"), "preview"),
        "commit of 19 values": lambda: unit(bench("indicators"), "commit"),
        "forming candle to its frame": lambda: unit(bench("wire"), "message"),
        "hub, 1 reader, a message": lambda: unit(bench("hub", "--readers", 1, "--messages", 200_000), "message"),
        "hub, 100 readers, a message": lambda: unit(bench("hub", "--readers", 100), "message"),
        "store, 1,000 rows a batch, a row": lambda: unit(bench("store", "--rows", 100_000), "row"),
        "store, 100 rows a batch, a row": lambda: unit(bench("store", "--rows", 100_000, "--batch", 100), "row"),
    }
    for format in ("binance", "lightweight", "klineview", "klinecharts", "zxkline", "csv"):
        work[f"the same as {format}"] = lambda format=format: unit(bench("wire", "--format", format), "message")
    results, failures = rounds(report.rounds, work, warm_up=False)
    peers.skipped.update(failures)
    report.table(
        "Parts", "CPU of all threads; allocations of the calling thread.", results,
        [("cpu", "CPU ns", ".0f"), ("wall", "wall ns", ".0f"), ("allocations", "allocations", ".3f")], [])


def parse(ticks, lines):
    return unit(bench("parse", "--ticks", ticks), f"tick_{lines}_a_frame")


def unit(figures, name):
    return {
        "cpu": figures[f"cpu_ns_per_{name}"],
        "wall": figures[f"wall_ns_per_{name}"],
        "allocations": figures[f"allocations_per_{name}"],
    }
