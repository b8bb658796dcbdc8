"""What a built source uses, by its compiler's and its object's names, against the lists of what kernels need.

Macros, aliases and templates hide a name from a reader of the text, not from the compiler (inside/hip_cpu/own_code.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.gates.plain.found import SourceFinding
from evaluator.gates.plain.hip_names import INLINED, PLAIN, UNLISTED, rule_of

UNREADABLE = "unreadable_object"
LONGEST = 20_000  # characters of a name that is looked into
MOST = 5_000  # names

_PREFIX = re.compile(r"(?:typeinfo(?: name)?|vtable|VTT|guard variable) for |(?:non-)?virtual thunk to ")
_OPERATOR = re.compile(r"\boperator(?:\(\)|\[\]|<=>|<<=?|>>=?|->\*?|[<>]=?|&&?)")
_CONVERSION = re.compile(r"\S*\boperator(?= )")
_CPYTHON = re.compile(r"_?Py[A-Z_]\w*|_(?:object|typeobject|ts|is|frame|longobject)|PyObject")
_FIELDS_OF_PYBIND = ("pybind11::arg", "pybind11::module_", "pybind11::handle")  # what `m.def` itself touches


def findings_of(uses: Mapping[str, Any]) -> Iterator[SourceFinding]:
    """Yield what the lists do not have, with its line (0 where nobody knows), in a report of inside/hip_cpu/uses.py."""
    if uses.get("unread", "it is not in the report"):
        yield SourceFinding(0, UNREADABLE, uses.get("unread") or "it is not in the report")
        return
    if len(uses["names"]) + len(uses["open_names"]) > MOST:
        yield SourceFinding(0, UNREADABLE, f"more than {MOST} names")
        return
    for line, name in uses["names"]:
        if (rule := rule_of(plain_name(name))) != PLAIN:
            yield SourceFinding(line, rule, plain_name(name))
    for line, name in uses["fields"]:
        if not _is_plain_type(name):
            yield SourceFinding(line, "field_of_a_library", name)
    for name in uses["open_names"]:
        plain = plain_name(name)
        if not INLINED.fullmatch(plain) and (rule := rule_of(plain)) != PLAIN:
            yield SourceFinding(0, "open_symbol" if rule == UNLISTED else rule, plain)
    yield from (SourceFinding(line, "host_assembly", "asm") for line in uses["assembly"])
    yield from (SourceFinding(line, "runs_before_calls", plain_name(name)) for line, name in uses["before_calls"])
    yield from (SourceFinding(0, "system_call", one) for one in uses["system_calls"])


def plain_name(name: str) -> str:
    """Return a demangled name without types, of `float* at::TensorBase::data_ptr<float>() const` the middle part.

    A name that is not of this form is returned as it is.
    """
    text = _OPERATOR.sub("operator@", _PREFIX.sub("", name, count=1))
    kept, depth = list[str](), 0
    for letter in text[:LONGEST]:
        if letter in "(<[{":
            depth += 1
        elif letter in ")>]}":
            depth -= 1
        elif depth == 0:
            kept.append(letter)
    flat = "".join(kept).partition(" requires ")[0]
    if depth or len(text) > LONGEST:
        return name
    if found := _CONVERSION.search(flat):
        return found[0]
    parts = [part for part in flat.split() if part not in ("const", "volatile", "&", "&&", "*")]
    return parts[-1] if parts else name


def _is_plain_type(name: str) -> bool:
    """Own types have any name; what is of Python or of a library is known by its namespace or its prefix."""
    space = name.partition("::")[0]
    if _CPYTHON.fullmatch(name):
        return False
    if space == "pybind11":
        return name in _FIELDS_OF_PYBIND
    return space not in ("std", "at", "c10", "torch", "caffe2") or rule_of(name) == PLAIN
