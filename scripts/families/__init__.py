"""Families: an editor's tool that writes task folders where one idea has many members.

A family is a package here: a table with one row a task, and a template. The folders that it writes are whole and
committed, and the evaluator knows nothing of families. A folder that is to be edited by hand leaves the table first.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from scripts.families import pointwise
from scripts.families.folders import Family

FAMILIES = {family.name: family for family in (Family("pointwise", pointwise.rows, pointwise.folder),)}


def family_of(task_id: str) -> str | None:
    """The name of the family whose table has the task; None for a task written by hand."""
    return _families_of_tasks().get(task_id)


@cache
def _families_of_tasks() -> Mapping[str, str]:
    return {task_id: family.name for family in FAMILIES.values() for task_id in family.ids()}
