"""Typed access to a mapping from outside that collects problems and raises them all together at the end."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

import yaml

from evaluator.errors import TaskError
from evaluator.tasks.expressions import Expression, ExpressionError, Number, parse

ZERO = parse(0)
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C, where PyYAML has it: 1.6 ms a task for 10
MISSING = object()


class Problems:
    """The problems of one file, one line each."""

    def __init__(self, file: str) -> None:
        self.file, self.lines = file, list[str]()

    def add(self, path: str, seen: object, expected: str) -> None:
        shown = "nothing" if seen is MISSING else repr(seen)[:200]
        self.lines.append(f"{self.file}: {path or '(top)'}: seen {shown}; expected {expected}")

    def raise_if_any(self) -> None:
        if self.lines:
            raise TaskError(self.lines)


class Fields:
    """One mapping and its path in the file. Every reader returns a usable value even after a problem."""

    def __init__(self, raw: Mapping[Any, Any], path: str, problems: Problems) -> None:
        self.raw, self.path, self.problems = raw, path, problems

    @classmethod
    def of(cls, raw: object, path: str, problems: Problems) -> Fields:
        if isinstance(raw, Mapping):
            return cls(raw, path, problems)
        problems.add(path, raw, "a mapping")
        return cls({}, path, problems)

    @classmethod
    def read(cls, data: bytes, problems: Problems, loader: type[yaml.SafeLoader] = LOADER) -> Fields:
        """The mapping that a YAML file holds.

        Raises:
            TaskError: it is not YAML, or has an impossible value (a 13th month, an endless list).
        """
        try:
            raw = yaml.load(data, loader)  # always a safe loader
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise TaskError([f"{problems.file}: not YAML: {' '.join(str(error).split())}"]) from error
        return cls.of(raw, "", problems)

    def __contains__(self, key: str) -> bool:
        return key in self.raw

    def problem(self, key: str, seen: object, expected: str) -> None:
        self.problems.add(".".join(filter(None, (self.path, key))), seen, expected)

    def only(self, keys: tuple[str, ...]) -> None:
        for key in self.raw:
            if key not in keys:
                self.problem(str(key), self.raw[key], f"no such key; the keys are {', '.join(keys)}")

    def mapping(self, key: str, optional: bool = False) -> Fields:
        value = self.raw.get(key, {} if optional else MISSING)
        if value is MISSING:
            self.problem(key, MISSING, "a mapping")
            value = {}
        return Fields.of(value, ".".join(filter(None, (self.path, key))), self.problems)

    def names(self, pattern: re.Pattern[str]) -> list[str]:
        """The keys that have the right form; any other key is a problem."""
        bad = [key for key in self.raw if not isinstance(key, str) or not pattern.fullmatch(key)]
        for key in bad:
            self.problem(str(key), key, f"a name like {pattern.pattern}")
        return [key for key in self.raw if key not in bad]

    def children(self, pattern: re.Pattern[str]) -> Iterator[tuple[str, Fields]]:
        """The entries with their values, which must be mappings."""
        for key in self.names(pattern):
            yield key, self.mapping(key)

    def items(self, key: str) -> Iterator[Fields]:
        for index, value in enumerate(self.sequence(key)):
            yield Fields.of(value, ".".join(filter(None, (self.path, key, str(index)))), self.problems)

    def sequence(self, key: str) -> list[Any]:
        value = self.raw.get(key, MISSING)
        if isinstance(value, list) and value:
            return value
        self.problem(key, value, "a list with at least one item")
        return []

    def strings(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        if key not in self.raw and default is not None:
            return default
        values = self.sequence(key) if self.raw.get(key) != [] or default is None else []
        for index, value in enumerate(values):
            if not isinstance(value, str) or not value:
                self.problem(f"{key}.{index}", value, "text")
        return tuple(map(str, values))

    def numbers(self, key: str) -> tuple[float, ...]:
        values = self.sequence(key)
        for index, value in enumerate(values):
            if not is_number(value) and value not in (math.inf, -math.inf):
                self.problem(f"{key}.{index}", value, "a number (.inf is allowed)")
        return tuple(float(value) for value in values if is_number(value) or value in (math.inf, -math.inf))

    def string(self, key: str, default: str | None) -> str:
        value = self.raw.get(key, MISSING if default is None else default)
        if not isinstance(value, str) or not value.strip():
            self.problem(key, value, "text")
            return ""
        return value

    def boolean(self, key: str, default: bool | None) -> bool:
        value = self.raw.get(key, MISSING if default is None else default)
        if not isinstance(value, bool):
            self.problem(key, value, "true or false")
            return False
        return value

    def number(self, key: str, default: float | None, *, low: float = -math.inf, high: float = math.inf) -> float:
        value = self.raw.get(key, MISSING if default is None else default)
        if not is_number(value) or not low <= value <= high:
            self.problem(key, value, f"a number from {low:.15g} to {high:.15g}")
            return max(low, 1)
        return float(value) if isinstance(value, float) else int(value)

    def whole(self, key: str, default: int | None, *, low: float, high: float) -> int:
        value = self.raw.get(key, MISSING if default is None else default)
        if type(value) is not int or not low <= value <= high:
            self.problem(key, value, f"a whole number from {low:.15g} to {high:.15g}")
            return int(low)
        return value

    def pair(self, key: str) -> tuple[int, int]:
        value = self.raw.get(key, MISSING)
        if isinstance(value, list) and [type(item) for item in value] == [int, int] and 0 <= value[0] <= value[1]:
            return value[0], value[1]
        self.problem(key, value, "two whole numbers [low, high], 0 ≤ low ≤ high")
        return 0, 0

    def choice(self, key: str, allowed: tuple[Any, ...], default: object = None) -> object:
        value = self.raw.get(key, MISSING if default is None else default)
        if value not in allowed:
            self.problem(key, value, f"one of {', '.join(map(str, allowed)) or '(nothing is allowed here)'}")
            return allowed[0] if allowed else ""
        return value

    def expression(self, key: str, names: set[str] | None) -> Expression:
        return self._parse(key, self.raw.get(key, MISSING), names)

    def expressions(self, key: str, names: set[str] | None, required: bool = False) -> list[Expression]:
        value = self.raw.get(key, MISSING if required else [])
        if not isinstance(value, list):
            self.problem(key, value, "a list of expressions")
            return []
        return [self._parse(f"{key}.{index}", item, names) for index, item in enumerate(value)]

    def _parse(self, key: str, value: object, names: set[str] | None) -> Expression:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            self.problem(key, value, "a number or an expression over the axes")
            return ZERO
        try:
            expression = parse(value)
        except ExpressionError as error:
            self.problem(key, value, str(error))
            return ZERO
        if names is not None and (unknown := expression.names - names):
            axes = ", ".join(sorted(names))
            self.problem(key, value, f"only the axes {axes}; {', '.join(sorted(unknown))} is not among them")
            return ZERO
        return expression


def value_or_problem(expression: Expression, axes: Mapping[str, Number], where: Fields, key: str) -> Number | None:
    try:
        return expression.value(axes)
    except ExpressionError as error:
        where.problem(key, expression.text, str(error))
        return None


def holds(expression: Expression, axes: Mapping[str, Number], where: Fields) -> bool:
    value = value_or_problem(expression, axes, where, "")
    return value is not None and bool(value)


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether the value is a finite number within the range of floats, and not a bool."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
