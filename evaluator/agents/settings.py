"""Settings that only one agent knows: what its agent.yaml says of each, and whether a value fits.

A plain default says its own kind. What has none, or its own range, is a mapping: {kind, default, least, most, among}.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.addresses import check_address
from evaluator.errors import UsageError
from evaluator.records.sessions import Own
from evaluator.tasks.fields import Fields

KINDS = ("text", "address", "flag", "count", "number")
OF_DEFAULTS = {str: "text", bool: "flag", int: "count", float: "number"}
MOST = 1e9  # of a number whose file says nothing else; the least is 0
MOST_CHARACTERS = 1000
EXAMPLE = "http://127.0.0.1:8080/v1"


@dataclass(frozen=True, slots=True)
class Rule:
    kind: str
    default: Own  # None: nothing may be set, too
    least: float
    most: float
    among: tuple[str, ...]  # texts; empty where any will do


def own_settings(written: Fields, changes: Mapping[str, object]) -> dict[str, Own]:
    """Each setting that a file writes of, changed or by its default; what does not fit is noted."""
    rules = {str(name): _rule(str(name), raw, written) for name, raw in written.raw.items()}
    fields = Fields(
        {name: changes.get(name, rule.default) for name, rule in rules.items()}, written.path, written.problems
    )
    return {name: _value(fields, name, rule) for name, rule in rules.items()}


def _rule(name: str, raw: object, written: Fields) -> Rule:
    about = Fields(raw if isinstance(raw, Mapping) else {"default": raw}, f"{written.path}.{name}", written.problems)
    about.only(("kind", "default", "least", "most", "among"))
    default = about.raw.get("default")
    return Rule(
        kind=str(about.choice("kind", KINDS, OF_DEFAULTS.get(type(default)))),
        default=default,
        least=about.number("least", 0),
        most=about.number("most", MOST),
        among=about.strings("among", ()),
    )


def _value(fields: Fields, name: str, rule: Rule) -> Own:
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
    """One line, which a command, a request and a page can take."""
    text = fields.string(name, None)
    if not text.isprintable() or len(text) > MOST_CHARACTERS:
        fields.problem(name, text, f"a line of at most {MOST_CHARACTERS} characters")
    elif kind == "address" and text:
        try:
            check_address(f"{fields.path}.{name}", text, EXAMPLE)
        except UsageError as error:
            fields.problems.lines.append(f"{fields.problems.file}: {error}")
    return text
