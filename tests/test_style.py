"""What no linter holds: one class for each public name, and bounds on lengths (signs, not goals)."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("arena_site", "evaluator", "leaderboard", "runs", "scripts")
NAMED_BY_DJANGO = {"Command", "Migration"}  # classes within a class are named by their owner
FILE_LINES, FUNCTION_LINES = 400, 60  # a file that is one idea, a function that is a list


@cache
def _sources() -> dict[str, str]:
    paths = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return {
        str(path.relative_to(ROOT)): path.read_text()
        for path in paths
        if "migrations" not in path.relative_to(ROOT).parts
    }


def test_every_public_class_name_stands_for_one_class() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for name, source in _sources().items():
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    assert len(places) > 500
    assert {name: found for name, found in places.items() if len(found) > 1 and name not in NAMED_BY_DJANGO} == {}


def test_no_file_and_no_function_is_beyond_its_bound() -> None:
    files = {name: lines for name, source in _sources().items() if (lines := source.count("\n")) > FILE_LINES}
    functions = {
        f"{name}: {node.name}": lines
        for name, source in _sources().items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno
        and (lines := node.end_lineno - node.lineno + 1) > FUNCTION_LINES
    }
    assert (files, functions) == ({}, {})
