"""What an audit quotes stands in the candidate's source, at the place that it names."""

from __future__ import annotations

import pytest

from runs.errors import RunError
from runs.services.quotes import checked_quote

SOURCES = {
    "kernel.hip": ["// a", "", "if (judge)", "    return y;", "", "// b"],
    "more.hip": ["int x;"],
}


@pytest.mark.parametrize(
    ("place", "quote", "found"),
    [
        ("", "", ("", "")),
        ("kernel.hip:3-4", "", ("kernel.hip:3-4", "if (judge)\n    return y;")),
        ("kernel.hip:3, more.hip:1", "", ("kernel.hip:3, more.hip:1", "if (judge)\n…\nint x;")),
        ("", "if (judge)\n  return y;", ("kernel.hip:3-4", "if (judge)\n  return y;")),
        ("", "return y;\n// b", ("kernel.hip:4-6", "return y;\n// b")),
        ("", "// b\n…\nint x;", ("kernel.hip:6, more.hip:1", "// b\n…\nint x;")),
        ("kernel.hip:3", "if (judge)", ("kernel.hip:3", "if (judge)")),
    ],
)
def test_place_and_lines_are_found_by_each_other(place: str, quote: str, found: tuple[str, str]) -> None:
    assert checked_quote(SOURCES, place, quote) == found


@pytest.mark.parametrize(
    ("place", "quote", "why"),
    [
        ("", "if (cheat)", r"the quoted line 'if \(cheat\)' is not in the candidate's source \(kernel.hip, more.hip\)"),
        ("", "if (judge)\n// b", "do not follow each other in one file"),
        ("", "if (judge)\nint x;", "do not follow each other in one file"),
        ("kernel.hip:3", "// a", "at kernel.hip:3 stand other lines than the quoted ones"),
        ("kernel.hip:5-9", "", "seen the lines 5 to 9; kernel.hip has the lines 1 to 6"),
        ("kernel.hip:4-3", "", "seen the lines 4 to 3"),
        ("other.hip:1", "", "seen 'other.hip:1' as a place; expected one of kernel.hip, more.hip with its lines"),
        ("line 3", "", "seen 'line 3' as a place"),
    ],
)
def test_what_the_source_does_not_have_is_refused_with_what_it_has(place: str, quote: str, why: str) -> None:
    with pytest.raises(RunError, match=why):
        checked_quote(SOURCES, place, quote)


def test_without_a_source_there_is_nothing_to_quote() -> None:
    with pytest.raises(RunError, match="has no source here"):
        checked_quote({}, "", "if (judge)")
