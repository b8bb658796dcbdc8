"""What one test session has recorded, once for all its processes: an audit costs seconds, and many tests look at it."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


class Ledger:
    """A folder of JSON files; whoever asks first makes an entry, all others read it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def once(self, kind: str, name: str, make: Callable[[], Any]) -> Any:
        """The entry, made by `make` unless another process of the session did so or is about to."""
        path = self.folder / kind / f"{name.replace('/', '.')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.is_file():
                path.write_text(json.dumps(make()), encoding="utf-8")
        return json.loads(path.read_text(encoding="utf-8"))

    def entries(self, kind: str) -> dict[str, Any]:
        """Those of a kind that are there."""
        paths = sorted((self.folder / kind).glob("*.json"))
        return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def ledger_of(config: pytest.Config) -> Ledger:
    """One for the session: pytest-xdist's workers have their folders in the one of the process that started them."""
    folder: Path = config._tmp_path_factory.getbasetemp()
    return Ledger((folder.parent if hasattr(config, "workerinput") else folder) / "ledger")
