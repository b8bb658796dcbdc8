"""Text that looks like a formula stays text in every CSV of the site: there is one writer."""

from __future__ import annotations

import ast
import csv
import io
from pathlib import Path

import pytest

from leaderboard.csv_text import csv_text

ROOT = Path(__file__).parents[2]
WRITERS = {"writer", "DictWriter", "write_csv", "to_csv"}


def read(*row: object) -> list[str]:
    [found] = csv.reader(io.StringIO(csv_text([row]), newline=""))
    return found


@pytest.mark.parametrize("start", [*"=+-@\t\r\n", *"＝＋－＠"])
def test_a_text_that_a_spreadsheet_would_run_has_an_apostrophe_before_it(start: str) -> None:
    for text in (f"{start}1+1", f"{start}SUM(A1)", f'{start}cmd|"/c calc"!A1', f"{start}a, b"):
        assert read("a", text) == ["a", f"'{text}"]


def test_numbers_dashes_and_all_other_text_are_as_they_were() -> None:
    row = (-5, -0.25, 1e-9, True, None, "-", "", "a=b", "'=1", " =1", "x-y", 'a "b", c\nd')
    assert read(*row) == ["-5", "-0.25", "1e-09", "True", "", "-", "", "a=b", "'=1", " =1", "x-y", 'a "b", c\nd']


def test_nothing_else_of_the_site_writes_csv() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("leaderboard", "runs", "arena_site")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in WRITERS
    }
    # The dump's frames are written by pandas; test_dump holds them against the API's CSV, byte for byte.
    assert found == {"leaderboard/csv_text.py", "leaderboard/downloads/dump.py"}
