"""Converts frozen dataclasses to strict JSON and back; every missing, unknown or ill-typed field is reported."""

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
ADDED_LATER: Mapping[str, bool] = {"added_later": True}  # metadata of a field that older JSON lacks: it has a default
T = TypeVar("T")
Place = tuple["Place", str | int] | None  # a path within a value: that of its parent and its name; None is the top
Decoder = Callable[[Any, Place, list[str]], Any]
_CONTROLS = [code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"]
_TURNS = (0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))  # end lines, or show text backwards
_SPELLED = {code: f"\\x{code:02x}" for code in _CONTROLS} | {code: f"\\u{code:04x}" for code in _TURNS}


class DecodeError(ValueError):
    """The JSON does not fit the dataclass; `problems` has one line for each fault."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def plain_text(text: str) -> str:
    """Text from outside made safe for files, databases and terminals: control and bidi characters become escapes."""
    return text.replace("\r\n", "\n").translate(_SPELLED).encode("utf-8", "backslashreplace").decode()


def plain_texts(value: Any) -> Any:
    """A JSON value with every string in it made safe by `plain_text`."""
    match value:
        case str():
            return plain_text(value)
        case list():
            return [plain_texts(item) for item in value]
        case dict():
            return {plain_text(str(key)): plain_texts(item) for key, item in value.items()}
    return value


def is_storable(text: str) -> bool:
    """Whether the text can be stored in a UTF-8 file and in every database."""
    return "\0" not in text and (text.isascii() or text.encode("utf-8", "ignore").decode() == text)


def encode(value: Any) -> Any:
    """The value as plain JSON values: dataclasses become objects, enums their values, tuples lists."""
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
    """The value as strict JSON text, without NaN and infinity.

    Raises:
        ValueError: a number is not finite.
    """
    return json.dumps(encode(value), allow_nan=False, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write(value: T, path: Path, problems_of: Callable[[T], list[str]]) -> None:
    """Write one value atomically, unless it breaks the rules of `problems_of`; missing folders are created.

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
    """Read one dataclass from JSON and check the rules of `problems_of`.

    Raises:
        DecodeError: with every problem.
    """
    value = loads(kind, text)
    if problems := problems_of(value):
        raise DecodeError(problems)
    return value


def loads(kind: type[T], text: str | bytes) -> T:
    """Read one dataclass from UTF-8 JSON. `json` would also accept UTF-16 and UTF-32, which the masking cannot search.

    Raises:
        DecodeError: with every problem.
    """
    try:
        text = text if isinstance(text, str) else text.decode("utf-8-sig")
        raw = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise DecodeError([f"(top): not strict JSON: {error}"]) from error
    return decode(kind, raw)


def decode(kind: type[T], raw: Any) -> T:
    problems: list[str] = []
    value = _decoder(typing.cast(Any, kind))(raw, None, problems)
    if problems:
        raise DecodeError(problems)
    return typing.cast(T, value)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose keys are unique, as `object_pairs_hook` of `json.loads`.

    Raises:
        ValueError: a key occurs twice.
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


@cache
def _decoder(kind: Any) -> Decoder:
    """The decoder of a type, cached: inspecting types for each value took two thirds of the time to read a record."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _decoder_of_union(arguments)
    if dataclasses.is_dataclass(kind):
        return _decoder_of_dataclass(kind)
    if origin in (tuple, list):
        return _decoder_of_list(_decoder(arguments[0]))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _decoder_of_mapping(_decoder(arguments[1]))
    if origin is typing.Literal:
        return _decoder_of_choice({value: value for value in arguments})
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _decoder_of_choice({member.value: member for member in kind})
    return _PLAIN[kind]


def _decoder_of_union(kinds: tuple[Any, ...]) -> Decoder:
    """The decoder of an optional type, or of a union of plain types that JSON tells apart."""
    decoders = {kind: _decoder(kind) for kind in kinds if kind is not types.NoneType}
    allows_none, only = len(decoders) < len(kinds), next(iter(decoders.values())) if len(decoders) == 1 else None
    expected = " or ".join(getattr(kind, "__name__", str(kind)) for kind in decoders)

    def decode(raw: Any, place: Place, problems: list[str]) -> Any:
        if raw is None and allows_none:
            return None
        one = only or decoders.get(type(raw))
        return one(raw, place, problems) if one else _wrong(problems, place, raw, expected)

    return decode


def _decoder_of_dataclass(kind: Any) -> Decoder:
    hints = typing.get_type_hints(kind)
    decoders = {field.name: _decoder(hints[field.name]) for field in dataclasses.fields(kind)}
    may_lack = {field.name for field in dataclasses.fields(kind) if field.metadata == ADDED_LATER}

    def decode(raw: Any, place: Place, problems: list[str]) -> Any:
        if not isinstance(raw, dict):
            return _wrong(problems, place, raw, "an object")
        before = len(problems)
        for name in sorted((raw.keys() ^ decoders.keys()) - (may_lack - raw.keys())):
            problems.append(f"{_spelled((place, name))}: {'no such field' if name in raw else 'missing'}")
        values = {name: one(raw[name], (place, name), problems) for name, one in decoders.items() if name in raw}
        return kind(**values) if len(problems) == before else None

    return decode


def _decoder_of_list(one: Decoder) -> Decoder:
    def decode(raw: Any, place: Place, problems: list[str]) -> Any:
        if not isinstance(raw, list):
            return _wrong(problems, place, raw, "a list")
        return tuple([one(item, (place, index), problems) for index, item in enumerate(raw)])

    return decode


def _decoder_of_mapping(one: Decoder) -> Decoder:
    def decode(raw: Any, place: Place, problems: list[str]) -> Any:
        if not isinstance(raw, dict):
            return _wrong(problems, place, raw, "an object")
        if not all(map(is_storable, raw)):
            return _wrong(problems, place, sorted(raw), "names without NUL and surrogates")
        return {key: one(item, (place, key), problems) for key, item in raw.items()}

    return decode


def _decoder_of_choice(values: Mapping[Any, Any]) -> Decoder:
    expected = f"one of {', '.join(map(str, values))}"

    def decode(raw: Any, place: Place, problems: list[str]) -> Any:
        is_known = type(raw) in (str, int) and raw in values
        return values[raw] if is_known else _wrong(problems, place, raw, expected)

    return decode


def _decoded_float(raw: Any, place: Place, problems: list[str]) -> Any:
    if type(raw) in (int, float) and abs(raw) <= sys.float_info.max:
        return float(raw)
    return _wrong(problems, place, raw, "a finite number")


def _decoded_int(raw: Any, place: Place, problems: list[str]) -> Any:
    if type(raw) is int and abs(raw) <= LARGEST_INT:
        return raw
    return _wrong(problems, place, raw, "a whole number of 64 bits")


def _decoded_text(raw: Any, place: Place, problems: list[str]) -> Any:
    if type(raw) is str and is_storable(raw):
        return raw
    return _wrong(problems, place, raw, "text without NUL and surrogates")


def _decoded_bool(raw: Any, place: Place, problems: list[str]) -> Any:
    return raw if type(raw) is bool else _wrong(problems, place, raw, "a bool")


_PLAIN: Mapping[Any, Decoder] = {
    float: _decoded_float,
    int: _decoded_int,
    str: _decoded_text,
    bool: _decoded_bool,
}


def _spelled(place: Place) -> str:
    names = []
    while place is not None:
        place, name = place
        names.append(plain_text(str(name)))
    return ".".join(reversed(names))


def _wrong(problems: list[str], place: Place, raw: Any, expected: str) -> None:
    problems.append(f"{_spelled(place) or '(top)'}: seen {raw!r:.120}; expected {expected}")
