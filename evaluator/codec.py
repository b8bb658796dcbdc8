"""Frozen dataclasses to strict JSON and back. A missing, unknown or ill-typed field is a problem with its path."""

from __future__ import annotations

import dataclasses
import enum
import json
import sys
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

LARGEST_INT = 2**63 - 1
T = TypeVar("T")
_CONTROLS = [code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"]
_SPELLED = {code: f"\\x{code:02x}" for code in _CONTROLS}


class DecodeError(ValueError):
    """The JSON is not this record; `problems` holds a line for each thing that is wrong."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def plain_text(text: str) -> str:
    """Text from outside as every file, database and terminal can hold it: controls and surrogates are spelled out."""
    return text.replace("\r\n", "\n").translate(_SPELLED).encode("utf-8", "backslashreplace").decode()


def plain_texts(value: Any) -> Any:
    """The same for every string in a JSON value."""
    match value:
        case str():
            return plain_text(value)
        case list():
            return [plain_texts(item) for item in value]
        case dict():
            return {plain_text(str(key)): plain_texts(item) for key, item in value.items()}
    return value


def is_storable(text: str) -> bool:
    """Can a file in UTF-8 and every database hold it?"""
    return "\0" not in text and (text.isascii() or text.encode("utf-8", "ignore").decode() == text)


def encode(value: Any) -> Any:
    """Plain JSON values: dataclasses as objects, enums as their value, tuples as lists."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [encode(item) for item in value]
    return value


def dumps(value: Any) -> str:
    """Strict JSON text; NaN and infinity are refused.

    Raises:
        ValueError: a number is not finite.
    """
    return json.dumps(encode(value), allow_nan=False, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write(value: T, path: Path, problems_of: Callable[[T], list[str]]) -> None:
    """Write one value atomically, its folder made where it is missing. What breaks its own rules is never written.

    Raises:
        DecodeError: with every problem. ValueError: a number is not finite.
    """
    if problems := problems_of(value):
        raise DecodeError(problems)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_text(dumps(value), encoding="utf-8")
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def read(kind: type[T], text: str | bytes, problems_of: Callable[[T], list[str]]) -> T:
    """Read one dataclass and check its own rules.

    Raises:
        DecodeError: with every problem.
    """
    value = loads(kind, text)
    if problems := problems_of(value):
        raise DecodeError(problems)
    return value


def loads(kind: type[T], text: str | bytes) -> T:
    """Read one dataclass.

    Raises:
        DecodeError: with every problem.
    """
    try:
        raw = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise DecodeError([f"(top): not strict JSON: {error}"]) from error
    return decode(kind, raw)


def decode(kind: type[T], raw: Any) -> T:
    problems: list[str] = []
    value = _decode(kind, raw, "", problems)
    if problems:
        raise DecodeError(problems)
    return typing.cast(T, value)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, for `json.loads`.

    Raises:
        ValueError: a key stands twice.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        met = set[str]()
        for key, _ in pairs:
            if key in met:
                raise ValueError(f"the key {key!r:.100} twice")
            met.add(key)
    return found


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _decode(kind: Any, raw: Any, path: str, problems: list[str]) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _decode_optional(arguments, raw, path, problems)
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, raw, path, problems)
    if origin in (tuple, list):
        if not isinstance(raw, list):
            return _wrong(problems, path, raw, "a list")
        return tuple(_decode(arguments[0], item, f"{path}.{index}", problems) for index, item in enumerate(raw))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(raw, dict):
            return _wrong(problems, path, raw, "an object")
        if not all(map(is_storable, raw)):
            return _wrong(problems, path, sorted(raw), "names without NUL and surrogates")
        return {key: _decode(arguments[1], item, f"{path}.{key}", problems) for key, item in raw.items()}
    if origin is typing.Literal:
        return raw if raw in arguments else _wrong(problems, path, raw, f"one of {', '.join(map(str, arguments))}")
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        values = [member.value for member in kind]
        return kind(raw) if raw in values else _wrong(problems, path, raw, f"one of {', '.join(values)}")
    return _decode_plain(kind, raw, path, problems)


def _decode_optional(kinds: tuple[Any, ...], raw: Any, path: str, problems: list[str]) -> Any:
    if raw is None and types.NoneType in kinds:
        return None
    plain = [kind for kind in kinds if kind is not types.NoneType]
    if len(plain) == 1:
        return _decode(plain[0], raw, path, problems)
    for kind in plain:
        if type(raw) is kind:
            return raw
    return _wrong(problems, path, raw, " or ".join(kind.__name__ for kind in plain))


def _decode_dataclass(kind: Any, raw: Any, path: str, problems: list[str]) -> Any:
    if not isinstance(raw, dict):
        return _wrong(problems, path, raw, "an object")
    hints, before = _hints(kind), len(problems)
    names = list(hints)
    for name in sorted(raw.keys() ^ hints.keys()):
        problems.append(f"{path}.{name}: {'no such field' if name in raw else 'missing'}".lstrip("."))
    values = {
        name: _decode(hints[name], raw[name], f"{path}.{name}".lstrip("."), problems) for name in names if name in raw
    }
    return kind(**values) if len(problems) == before else None


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    """Type of each field in order; looked up each time it was four fifths of the time that a record takes."""
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _decode_plain(kind: Any, raw: Any, path: str, problems: list[str]) -> Any:
    if kind is float and type(raw) in (int, float) and abs(raw) <= sys.float_info.max:
        return float(raw)
    is_fit = kind is bool or (abs(raw) <= LARGEST_INT if type(raw) is int else type(raw) is str and is_storable(raw))
    if kind in (int, str, bool) and type(raw) is kind and is_fit:
        return raw
    expected = {float: "a finite number", int: "a whole number of 64 bits", str: "text without NUL and surrogates"}
    return _wrong(problems, path, raw, expected.get(kind, "a bool"))


def _wrong(problems: list[str], path: str, raw: Any, expected: str) -> None:
    problems.append(f"{path or '(top)'}: seen {raw!r:.120}; expected {expected}")
