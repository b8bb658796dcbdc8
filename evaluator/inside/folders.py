"""Emptying folders that a candidate has filled."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence


def empty(folders: Sequence[str]) -> bool:
    """Remove all that lies in them; says whether that worked.

    By find, since a tree may be deeper than Python's recursion and its paths longer than the kernel takes. A folder
    that its owner made unreadable stops find unless it is root; so a second try follows a chmod.
    """
    find = ["find", *folders, "-xdev", "-mindepth", "1", "-delete"]
    return _run(find) or (_run(["chmod", "-R", "u+rwX", *folders]) and _run(find))


def _run(command: list[str]) -> bool:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
