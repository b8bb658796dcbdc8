"""The folders of workers, and how this host's folders are taken out of texts that become public.

A file stays recognisable by its name and line.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

from evaluator.state import REPOSITORY

ARENA = "/arena"  # where evaluator/ is mounted inside bubblewrap
WORKSPACE = "/ws"  # of bubblewrap's workers, which have a folder each in it
WORKSPACE_PREFIX = "arena-"  # of the folder for temporary files that plain workers have a folder each in
_START = r"(?<![\w.~-])"  # of a path: "hip2hip/arena/GELU" holds no /arena
_END = r"[^/\s:'\"<>|,;()\[\]]"  # a letter of a folder's name


def without_host_paths(text: str) -> str:
    """Return the text with files of a worker, of the evaluator and of Python below their own folder, home folders as ~,
    and the folders of temporary files as <tmp>."""
    for folder, name in _folders():
        text = text.replace(folder, name)
    for pattern, name in _patterns():
        text = pattern.sub(name, text)
    return text


@functools.cache
def _folders() -> tuple[tuple[str, str], ...]:
    """Return pairs of a folder of this process, with its last slash, and what stands for it; the deepest first."""
    paths = sysconfig.get_paths()
    known = {
        paths["purelib"]: "site-packages/",
        paths["platlib"]: "site-packages/",
        paths["stdlib"]: f"{Path(paths['stdlib']).name}/",
        sys.prefix: "<python>/",
        str(REPOSITORY): "",
        os.environ.get("ARENA_STATE", ""): "<state>/",
    }
    every = {
        os.path.abspath(form): name for path, name in known.items() if path for form in (path, os.path.realpath(path))
    }
    shallow = {os.sep, "/usr", "/usr/local", tempfile.gettempdir()}  # of many programs, or below in `_patterns`
    return tuple((f"{path}/", every[path]) for path in sorted(every, key=len, reverse=True) if path not in shallow)


@functools.cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what is only known by its form, all in linear time: a worker's folder, homes, temporary files."""
    temporary = "|".join(re.escape(folder) for folder in sorted({tempfile.gettempdir(), "/tmp", "/var/tmp"}))
    worker = rf"(?:{WORKSPACE}|(?:{temporary})/{WORKSPACE_PREFIX}\w{{1,20}})/[0-9a-f]{{16}}"
    return tuple((re.compile(f"{_START}{pattern}"), name) for pattern, name in _forms(worker, temporary))


def _forms(worker: str, temporary: str) -> Iterator[tuple[str, str]]:
    yield rf"{worker}/", ""
    yield worker, "<workspace>"
    yield rf"{ARENA}/(?=evaluator/)", ""
    yield rf"(?:{temporary})/(?:{_END}+/)*", "<tmp>/"
    yield rf"/(?:home|Users)/{_END}{{1,64}}", "~"
    yield r"/root(?![\w.-])", "~"
    if (home := os.path.expanduser("~")) != os.sep:
        yield rf"{re.escape(home)}(?![\w.-])", "~"
