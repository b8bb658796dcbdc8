"""plotly.js out of the Python package: pip pins and checks it, without another registry, a build step or a copy here.

Under our content security policy plotly.js cannot write its style element, so its rules are served as a stylesheet,
taken from the same file. Only the explore page loads either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

PREFIX, SCRIPT = "plotly", "plotly.min.js"
_TABLE = re.compile(r"""\{"X,X div":.*?\}""", re.DOTALL)
_RULE = re.compile(r"""(?:"(?P<selector>[^"]+)"|(?P<bare>\w+)):(?P<quote>['"])(?P<body>.*?)(?P=quote)""", re.DOTALL)


class PlotlyFinder(BaseFinder):
    """A staticfiles finder for one file: plotly/plotly.min.js."""

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> str | list[str]:
        found = [str(_folder() / SCRIPT)] if path == f"{PREFIX}/{SCRIPT}" else []
        return found if find_all or not found else found[0]

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        storage = FileSystemStorage(location=_folder())
        storage.prefix = PREFIX  # type: ignore[attr-defined]  # what collectstatic reads
        yield SCRIPT, storage


@cache
def stylesheet() -> str:
    """The rules that plotly.js would write itself: X stands for its plots, Y for its messages.

    Raises:
        ValueError: this plotly.js keeps them elsewhere.
    """
    table = _TABLE.search((_folder() / SCRIPT).read_text(encoding="utf-8"))
    if table is None:
        raise ValueError("plotly.min.js holds no table of rules: look for the new place of its styles")
    rules = []
    for rule in _RULE.finditer(table[0]):
        selector = (
            (rule["selector"] or rule["bare"]).replace("X", ".js-plotly-plot .plotly").replace("Y", ".plotly-notifier")
        )
        rules.append(f"{selector}{{{rule['body']}}}")
    return "\n".join(rules) + "\n"


def _folder() -> Path:
    """Found without importing plotly, which takes half a second."""
    spec = find_spec("plotly")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("plotly is not installed: `make setup` installs it")
    return Path(spec.submodule_search_locations[0]) / "package_data"
