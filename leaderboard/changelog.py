"""CHANGELOG.md as values: what changed in each version of the evaluator, and what each timing protocol is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parents[1] / "CHANGELOG.md"
EVALUATOR = "Evaluator: "  # the lines that can turn a verdict; those of the site are not shown beside results
PROTOCOLS = "Timing protocols"
NUMBERED = re.compile(r"(.+?)(\d{1,9})")  # a protocol's kind and number


@dataclass(frozen=True, slots=True)
class Changelog:
    """Texts for people by version ("0.4.0") and by protocol ("arena-3"), in the order of the file.

    `until` has the last day of each protocol that another one has replaced.
    """

    evaluators: Mapping[str, str]
    protocols: Mapping[str, str]
    until: Mapping[str, str]


@cache
def changelog() -> Changelog:
    """The changelog of this checkout, read once in each process."""
    return parse(FILE.read_text(encoding="utf-8"))


def protocol_age(name: str) -> tuple[str, int]:
    """What protocols are sorted by, the oldest first: arena-9 is older than arena-10, which text alone does not say."""
    numbered = NUMBERED.fullmatch(name)
    return (numbered[1], int(numbered[2])) if numbered else (name, -1)


def newest_protocol(known: Iterable[str], current: str, default: str = "") -> str:
    """The current protocol if it is among these, else the newest of them; `default` if there is none."""
    names = {*known}
    return current if current in names else max(names, key=protocol_age, default=default)


def parse(text: str) -> Changelog:
    """Read a changelog in the form of Keep a Changelog.

    Raises:
        ValueError: a version or protocol is described twice, or an item of the protocols is of another form.
    """
    evaluators: dict[str, str] = {}
    protocols: dict[str, str] = {}
    until: dict[str, str] = {}
    for heading, body in re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", text, re.MULTILINE):
        items = [" ".join(item.split()) for item in re.findall(r"^- (.+(?:\n  .+)*)", body, re.MULTILINE)]
        version = re.fullmatch(r"\[(\d\S*)\] - \d{4}-\d{2}-\d{2}", heading)
        if version is not None:
            changes = [item.removeprefix(EVALUATOR) for item in items if item.startswith(EVALUATOR)]
            _describe(evaluators, version[1], " ".join(_sentence(change) for change in changes))
        elif heading == PROTOCOLS:
            for item in items:
                found = re.fullmatch(r"`(\S+)`(?:, until (\d{4}-\d{2}-\d{2}))?: (.+)", item)
                if found is None:
                    raise ValueError(f"{PROTOCOLS}: expected `NAME`: TEXT or `NAME`, until DAY: TEXT, seen {item!r}")
                _describe(protocols, found[1], _sentence(found[3]))
                until |= {found[1]: found[2]} if found[2] else {}
    return Changelog(evaluators, protocols, until)


def _describe(described: dict[str, str], name: str, what: str) -> None:
    if name in described:
        raise ValueError(f"{name} is described twice")
    described[name] = what


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
