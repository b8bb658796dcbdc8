"""Writes a large file, then many smaller ones, in a given folder; prints how far it came and the error."""

from __future__ import annotations

import errno
import itertools
import json
import os
from pathlib import Path

MiB = 1 << 20
folder = Path(os.environ["FOLDER"])


def fill(path: Path, size: int) -> tuple[int, str]:
    with path.open("wb", buffering=0) as file:
        for done in range(0, size, MiB):
            try:
                file.write(b"x" * MiB)
            except OSError as error:
                return done // MiB, errno.errorcode[error.errno]
    return size // MiB, ""


largest, why = fill(folder / "large", int(os.environ["ENOUGH_MIB"]) * MiB)
(folder / "large").unlink()
total, full = 0, ""
if os.environ["SIZED"] == "1":
    for number in itertools.count():
        size, full = fill(folder / f"small{number}", 4 * MiB)
        total += size
        if full:
            break
print(json.dumps({"largest": largest, "why": why, "total": total, "full": full}))
