"""Rows are written in runs/services alone: whatever else calls a writing method of the ORM fails here."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WRITES = {"save", "create", "update", "delete", "bulk_create", "bulk_update", "get_or_create", "update_or_create"}
ELSEWHERE = {"services", "migrations", "people"}  # runs/people writes rows of its own and of Django
SOURCES = [
    path
    for folder in ("runs", "leaderboard", "arena_site")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not ELSEWHERE & set(path.relative_to(ROOT).parts)
]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_only_services_write_rows(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    written = [
        f"line {call.lineno}: {ast.unparse(call)[:80]}"
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in WRITES and not is_of_a_mapping(call)
    ]
    assert written == []


def is_of_a_mapping(call: ast.Call) -> bool:
    """`mapping.update(other)`, `digest.update(data)`: one positional argument, where a queryset's takes keywords."""
    assert isinstance(call.func, ast.Attribute)
    return call.func.attr == "update" and len(call.args) == 1 and not call.keywords
