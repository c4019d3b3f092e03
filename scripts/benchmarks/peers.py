"""The programs that candled is measured beside: built where their sources are, run in place, never copied."""

import os
import subprocess
import sys
import venv

BUILD = os.path.abspath(".build/bench")
ENVIRONMENT = os.path.abspath(".build/bench-venv")
PACKAGES = ["polars", "duckdb", "numpy", "pandas", "pyarrow", "ta-lib", "picows", "uvloop", "orjson"]
CANDLED = os.path.abspath(".build/release/candled")
BENCH = os.path.abspath(".build/release/candled-bench")

#: Name of a program: its source, and what it is linked with.
PROGRAMS = {
    "gen_ticks": ("batch/gen_ticks.c", ["-lm"]),
    "candles": ("batch/candles.c", ["-lsqlite3", "-lm"]),
    "ind_bench": ("stream/ind_bench.c", ["-lm", "-ldl"]),
    "wsload": ("ws/wsload.c", []),
    "limit": ("ws/limit.c", ["-lsqlite3", "-lm"]),
}


class Peers:
    def __init__(self, folder, quick):
        self.folder = os.path.abspath(folder)
        self.quick = quick
        #: What is not measured, and why.
        self.skipped = {}
        self._python = None
        os.makedirs(BUILD, exist_ok=True)

    def source(self, path):
        """A file of the peers, or None."""
        found = os.path.join(self.folder, path)
        return found if os.path.exists(found) else None

    def program(self, name):
        """Path of a built C program; None, and noted as skipped, where that is not possible."""
        source, libraries = PROGRAMS[name]
        path = self.source(source)
        if path is None:
            self.skipped[name] = f"no {source} in {os.path.basename(self.folder)} (set CANDLED_BENCH_PEERS)"
            return None
        built = os.path.join(BUILD, name)
        if not os.path.exists(built) or os.path.getmtime(built) < os.path.getmtime(path):
            done = subprocess.run(
                ["cc", "-O3", "-march=native", "-o", built, path, *libraries], capture_output=True, text=True)
            if done.returncode:
                self.skipped[name] = "cc: " + (done.stderr.strip().splitlines() or ["failed"])[-1]
                return None
        return built

    def python(self, *modules):
        """An interpreter that has the peers' packages; None, and noted as skipped, where one is missing."""
        if self._python is None:
            self._python = self._make_environment()
        missing = [name for name in modules if not self._has(name)]
        for name in missing:
            self.skipped[name] = "the package could not be installed"
        return None if missing or not self._python else self._python

    def _make_environment(self):
        python = os.path.join(ENVIRONMENT, "bin", "python")
        marker = os.path.join(ENVIRONMENT, "installed")
        if os.path.exists(marker):
            return python
        print("installing the Python peers …", file=sys.stderr, flush=True)
        if not os.path.exists(python):
            venv.create(ENVIRONMENT, with_pip=True)
        # One by one: what cannot be installed here is skipped.
        for package in PACKAGES:
            subprocess.run([python, "-m", "pip", "install", "-q", package], stdout=sys.stderr, check=False)
        open(marker, "w").close()
        return python

    def _has(self, module):
        done = subprocess.run([self._python, "-c", f"import {module}"], capture_output=True)
        return done.returncode == 0

    def ta_lib(self):
        """TA-Lib's C library out of the Python package, or None."""
        python = self.python("talib")
        if python is None:
            return None
        places = subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_paths()['platlib'])"],
            capture_output=True, text=True).stdout.strip()
        folder = os.path.join(places, "ta_lib.libs")
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if name.startswith("libta-lib"):
                return os.path.join(folder, name)
        self.skipped["TA-Lib C handles"] = "the package holds no C library"
        return None
