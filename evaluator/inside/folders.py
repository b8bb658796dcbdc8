"""Emptying folders that a candidate has filled."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Sequence


def content(folders: Sequence[str]) -> list[str]:
    """All that lies in them, as far as it is on their own file systems: mount points, but nothing below."""
    found = subprocess.run(
        [*_find(folders), "-print0"], stdin=subprocess.DEVNULL, capture_output=True, check=True
    ).stdout
    return [path.decode(errors="surrogateescape") for path in found.split(b"\0") if path]


def empty(folders: Sequence[str], kept: Iterable[str] = ()) -> bool:
    """Remove all that lies in them except the paths in `kept`; says whether that worked.

    By find, since a tree may be deeper than Python's recursion and its paths longer than the kernel takes. A folder
    that its owner made unreadable stops find unless it is root; so a second try follows a chmod.
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
