"""Committed JSON files with one sorted line a key, so that changes merge. Several processes may write one at once."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from evaluator.state import replacing, state_folder


def lines_text(values: Mapping[str, str]) -> str:
    """The text of such a file; the values are JSON already."""
    lines = [f"{json.dumps(key)}: {value}" for key, value in sorted(values.items())]
    return "\n".join(["{", *([",\n".join(lines)] if lines else []), "}", ""])


def rewrite(path: Path, text: Callable[[], str]) -> None:
    """Replace a file by what `text` makes of it, while no other process does so."""
    with (state_folder() / f"{path.stem}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        new = text()
        with replacing(path) as file:
            file.write(new.encode())
            os.fchmod(file.fileno(), 0o644)  # it is committed; a temporary file is its owner's alone
