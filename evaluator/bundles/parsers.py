"""Parsers of JSON, JSON lines and YAML from outside, with limits on size, depth and number of values.

Duplicate keys, aliases, tags and multiple documents are refused. NaN and infinity are returned as floats, so that a
format can say which time was not a number.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from evaluator.codec import unique_keys

DEPTH = 40
NODES = 2_000_000  # values of a file, at least 64 bytes each
YAML_BYTES = 2 << 20  # a held-out summary of 196 tasks has 60 kB
YAML_EVENTS = 200_000  # 2 s
LINE_BYTES = 4 << 20
DIGITS = 40  # of a number; parsing longer ones takes quadratic time
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{f"{sign}.{word}": float(f"{sign}inf") for sign in ("", "+", "-") for word in ("inf", "Inf", "INF")},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class ParseError(ValueError):
    """The text cannot be parsed; the message is what was seen instead."""


def parse_json(data: bytes) -> Any:
    """The value of a JSON text; raises ParseError."""
    if values_in(data) > NODES:
        raise ParseError(f"more than {NODES} values")
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=unique_keys, parse_int=_integer)
    except UnicodeDecodeError as error:
        raise ParseError("text that is not UTF-8") from error
    except RecursionError as error:
        raise ParseError(f"values nested deeper than {DEPTH}") from error
    except ValueError as error:
        raise ParseError(f"text that is not JSON ({error})") from error
    _check_depth(value)
    return value


def values_in(data: bytes) -> int:
    """An upper bound on the number of values in a JSON text, without parsing it."""
    return sum(map(data.count, (b",", b"[", b"{"))) + 1


def parse_lines(data: bytes) -> Iterator[tuple[int, Any]]:
    """The number of each non-empty line, with its value or a ParseError."""
    for number, line in enumerate(io.BytesIO(data), start=1):
        if not line.strip():
            continue
        try:
            if len(line) > LINE_BYTES:
                raise ParseError(f"a line longer than {LINE_BYTES >> 20} MiB")
            yield number, parse_json(line)
        except ParseError as error:
            yield number, error


def parse_yaml(data: bytes) -> Any:
    """The value of a YAML text; raises ParseError."""
    if len(data) > YAML_BYTES:
        raise ParseError(f"more than {YAML_BYTES >> 20} MiB of YAML")
    try:
        return _built(yaml.parse(data.decode("utf-8-sig"), Loader=_Loader))
    except UnicodeDecodeError as error:
        raise ParseError("text that is not UTF-8") from error
    except yaml.YAMLError as error:
        raise ParseError(f"text that is not YAML ({' '.join(str(error).split())})") from error


def _integer(text: str) -> int | float:
    """A whole number; one with too many digits becomes a float, which may be infinite."""
    return int(text) if len(text) <= DIGITS else float(text)


def _check_depth(value: Any) -> None:
    level, depth = [value], 0
    while level := [item for each in level for item in _items(each) if item.__class__ in (dict, list)]:
        depth += 1
        if depth > DEPTH:
            raise ParseError(f"values nested deeper than {DEPTH}")


def _items(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


class _Open:
    """A mapping or list that is not complete yet."""

    def __init__(self, value: dict[str, Any] | list[Any]) -> None:
        self.value = value
        self.key: str | None = None

    def add(self, item: Any) -> None:
        if isinstance(self.value, list):
            self.value.append(item)
        elif self.key is None:
            self._begin(item)
        else:
            self.value[self.key], self.key = item, None

    def _begin(self, key: Any) -> None:
        if isinstance(key, dict | list):
            raise ParseError("a key that is not text")
        self.key = str(key)
        if self.key in self.value:
            raise ParseError(f"the key {self.key!r} twice")


def _built(events: Iterator[Any]) -> Any:
    """The value of the only document, built without recursion and from JSON's types alone."""
    top = _Open([])
    waiting, documents = [top], 0
    for count, event in enumerate(events):
        if count > YAML_EVENTS:
            raise ParseError(f"more than {YAML_EVENTS} values")
        if getattr(event, "anchor", None):
            raise ParseError("an anchor or alias")
        if getattr(event, "tag", None) not in (None, "!") and not isinstance(event, yaml.DocumentStartEvent):
            raise ParseError(f"the tag {event.tag!r}")
        match event:
            case yaml.DocumentStartEvent():
                documents += 1
            case yaml.ScalarEvent():
                waiting[-1].add(_scalar(event))
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                waiting.append(_Open({} if isinstance(event, yaml.MappingStartEvent) else []))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                ended = waiting.pop()
                waiting[-1].add(ended.value)
        if documents > 1 or len(waiting) > DEPTH:
            raise ParseError("a second document" if documents > 1 else f"values nested deeper than {DEPTH}")
    return next(iter(top.value), None)


def _scalar(event: yaml.ScalarEvent) -> Any:
    """The value of a scalar; only short, unquoted ones can be anything but text."""
    text: str = event.value
    if event.style or len(text) > DIGITS:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
