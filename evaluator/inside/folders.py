"""Empty folders that a candidate has written to."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Sequence


def content(folders: Sequence[str]) -> list[str]:
    """List all paths in the folders, including mount points but nothing below them."""
    found = subprocess.run(
        [*_find(folders), "-print0"], stdin=subprocess.DEVNULL, capture_output=True, check=True
    ).stdout
    return [path.decode(errors="surrogateescape") for path in found.split(b"\0") if path]


def empty(folders: Sequence[str], kept: Iterable[str] = ()) -> bool:
    """Remove everything in the folders except the paths in `kept`; return whether that worked.

    It runs find, since trees may be deeper than Python's recursion limit and paths longer than the kernel allows. An
    unreadable folder stops find unless it runs as root, so a second attempt follows a chmod.
    """
    spared = [word for path in kept for word in ("-not", "-path", re.sub(r"([\[\]*?\\])", r"\\\1", path))]
    remove = [*_find(folders), *spared, "-delete"]
    if _succeeds(remove):
        return True
    _succeeds(["chmod", "-R", "u+rwX", *folders])
    return _succeeds(remove)


def _find(folders: Sequence[str]) -> list[str]:
    return ["find", *folders, "-xdev", "-mindepth", "1"]


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
