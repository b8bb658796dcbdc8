"""One word, one meaning: a public class name stands for one class in the whole project."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("arena_site", "evaluator", "leaderboard", "runs", "scripts")
NAMED_BY_DJANGO = {"Command", "Migration"}  # classes within a class are named by their owner


def test_every_public_class_name_stands_for_one_class() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))):
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert len(places) > 500
    assert {name: found for name, found in places.items() if len(found) > 1 and name not in NAMED_BY_DJANGO} == {}
