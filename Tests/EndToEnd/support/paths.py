"""Where the binary and the data are."""

import os
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


def _root():
    for folder in [HERE, *HERE.parents]:
        if (folder / "Package.swift").exists():
            return folder
    return HERE.parent


ROOT = _root()


def binary():
    named = os.environ.get("CANDLED_BINARY")
    path = Path(named) if named else ROOT / ".build" / "release" / "candled"
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: build it, or set CANDLED_BINARY")
    return str(path)
