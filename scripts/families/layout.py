"""How values and texts are written in a task's files: as a person would, on one line where it fits."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Hashable, Mapping
from typing import Any

import yaml

WIDTH = 120
WORDS = re.compile(r"[\w./ -]+")  # a text that needs no quotes within braces and brackets
FORMULA = re.compile(r"`[^`]*`")


class WrittenNumber(float):
    """A number that remembers how it was written: `1.0e-6` stays that."""

    text: str


class TableLoader(yaml.SafeLoader):
    """Reads a table; numbers with a fraction keep their text, and no mapping has a key twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [key.value for key, _ in node.value]
        for place, (key, _) in enumerate(node.value):
            if key.value in keys[:place]:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} a second time", key.start_mark
                )
        return super().construct_mapping(node, deep)


def _written_number(loader: TableLoader, node: yaml.ScalarNode) -> WrittenNumber:
    number = WrittenNumber(loader.construct_yaml_float(node))
    number.text = node.value
    return number


TableLoader.add_constructor("tag:yaml.org,2002:float", _written_number)


def flow(value: object) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, str):
        return value if WORDS.fullmatch(value) and yaml.safe_load(value) == value else _quoted(value)
    return str(value).lower() if isinstance(value, bool) else getattr(value, "text", str(value))


def entry(name: str, value: Mapping[str, object], indent: int) -> list[str]:
    """A mapping below its name: on one line, or where that is too long with one line a key."""
    line = f"{' ' * indent}{name}: {flow(value)}"
    if len(line) <= WIDTH:
        return [line]
    return [f"{' ' * indent}{name}:", *(f"{' ' * (indent + 2)}{key}: {flow(item)}" for key, item in value.items())]


def sentence(text: str) -> str:
    """A text as a value on a line of its own, quoted only where YAML needs it."""
    text = " ".join(text.split())
    try:
        return text if yaml.safe_load(f"key: {text}") == {"key": text} else _quoted(text)
    except yaml.YAMLError:
        return _quoted(text)


def paragraphs(text: str) -> str:
    """Paragraphs, which an empty line parts, wrapped; a formula stays on one line."""
    return "\n\n".join(_wrapped(part) for part in text.strip().split("\n\n")) + "\n"


def indented(code: str) -> str:
    """Statements as the body of a function."""
    return textwrap.indent(code.strip("\n"), "    ")


def _wrapped(text: str) -> str:
    joined = FORMULA.sub(lambda found: found.group().replace(" ", "\0"), " ".join(text.split()))
    return textwrap.fill(joined, WIDTH, break_long_words=False, break_on_hyphens=False).replace("\0", " ")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
