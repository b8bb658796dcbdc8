"""CHANGELOG.md as values: what changed in each version of the evaluator, and what each timing protocol is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parents[1] / "CHANGELOG.md"
EVALUATOR = "Evaluator: "  # the lines that can turn a verdict; those of the site are not shown beside results
PROTOCOLS = "Timing protocols"


@dataclass(frozen=True, slots=True)
class Changelog:
    """Texts for people by version ("0.3.0") and by protocol ("arena-1"), in the order of the file."""

    evaluators: Mapping[str, str]
    protocols: Mapping[str, str]


@cache
def changelog() -> Changelog:
    """The changelog of this checkout, read once in each process."""
    return parse(FILE.read_text(encoding="utf-8"))


def parse(text: str) -> Changelog:
    """Read a changelog in the form of Keep a Changelog.

    Raises:
        ValueError: a version or protocol is described twice, or an item of the protocols has no name.
    """
    evaluators: dict[str, str] = {}
    protocols: dict[str, str] = {}
    for heading, body in re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", text, re.MULTILINE):
        items = [" ".join(item.split()) for item in re.findall(r"^- (.+(?:\n  .+)*)", body, re.MULTILINE)]
        version = re.fullmatch(r"\[(\d\S*)\] - \d{4}-\d{2}-\d{2}", heading)
        if version is not None:
            changes = [item.removeprefix(EVALUATOR) for item in items if item.startswith(EVALUATOR)]
            _describe(evaluators, version[1], " ".join(_sentence(change) for change in changes))
        elif heading == PROTOCOLS:
            for item in items:
                name, colon, what = item.partition(": ")
                if not colon:
                    raise ValueError(f"{PROTOCOLS}: expected `NAME`: TEXT, seen {item!r}")
                _describe(protocols, name.strip("`"), _sentence(what))
    return Changelog(evaluators, protocols)


def _describe(described: dict[str, str], name: str, what: str) -> None:
    if name in described:
        raise ValueError(f"{name} is described twice")
    described[name] = what


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
