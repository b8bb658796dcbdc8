"""Settings of one agent alone, as the `own` mapping of its agent.yaml defines them.

A plain default also gives the kind. A setting without a default, or with a range, is a mapping
{kind, default, least, most, among}.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.addresses import check_address
from evaluator.errors import UsageError
from evaluator.records.sessions import SettingValue
from evaluator.tasks.fields import Fields

KINDS = ("text", "address", "flag", "count", "number")
KIND_OF_DEFAULT = {str: "text", bool: "flag", int: "count", float: "number"}
MOST = 1e9  # of a number without a `most` of its own; the least is 0
MOST_CHARACTERS = 1000
EXAMPLE = "http://127.0.0.1:8080/v1"


@dataclass(frozen=True, slots=True)
class SettingRule:
    kind: str
    default: SettingValue  # None: the setting may stay empty
    least: float
    most: float
    among: tuple[str, ...]  # allowed texts; empty if any text is allowed


def specific_settings(written: Fields, changes: Mapping[str, object]) -> dict[str, SettingValue]:
    """Every defined setting with its changed or default value; a value that does not fit is added to the problems."""
    rules = {str(name): _rule(str(name), raw, written) for name, raw in written.raw.items()}
    fields = Fields(
        {name: changes.get(name, rule.default) for name, rule in rules.items()}, written.path, written.problems
    )
    return {name: _value(fields, name, rule) for name, rule in rules.items()}


def _rule(name: str, raw: object, written: Fields) -> SettingRule:
    about = Fields(raw if isinstance(raw, Mapping) else {"default": raw}, f"{written.path}.{name}", written.problems)
    about.only(("kind", "default", "least", "most", "among"))
    default = about.raw.get("default")
    return SettingRule(
        kind=str(about.choice("kind", KINDS, KIND_OF_DEFAULT.get(type(default)))),
        default=default,
        least=about.number("least", 0),
        most=about.number("most", MOST),
        among=about.strings("among", ()),
    )


def _value(fields: Fields, name: str, rule: SettingRule) -> SettingValue:
    if fields.raw[name] is None and rule.default is None:
        return None
    match rule.kind:
        case "flag":
            return fields.boolean(name, None)
        case "count":
            return fields.whole(name, None, low=rule.least, high=rule.most)
        case "number":
            return fields.number(name, None, low=rule.least, high=rule.most)
        case "text" if rule.among:
            return str(fields.choice(name, rule.among))
    return _text(fields, name, rule.kind)


def _text(fields: Fields, name: str, kind: str) -> str:
    """One line of printable text, safe in a command, a request and a page."""
    text = fields.string(name, None)
    if not text.isprintable() or len(text) > MOST_CHARACTERS:
        fields.problem(name, text, f"a line of at most {MOST_CHARACTERS} characters")
    elif kind == "address" and text:
        try:
            check_address(f"{fields.path}.{name}", text, EXAMPLE)
        except UsageError as error:
            fields.problems.lines.append(f"{fields.problems.file}: {error}")
    return text
