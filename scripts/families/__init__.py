"""Families: an editor's tool that writes task folders where one idea has many members.

A family is a folder here: a table with one row a task, and templates (`templated.py`); the pointwise one has its
template in Python. The folders that it writes are whole and committed, and the evaluator knows nothing of families. A
folder that is to be edited by hand leaves the table first.
"""

from __future__ import annotations

from pathlib import Path

from scripts.families import pointwise
from scripts.families.folders import Family
from scripts.families.templated import templated

FAMILIES = {family.name: family for family in (Family("pointwise", pointwise.rows, pointwise.folder),)}
FAMILIES |= {table.parent.name: templated(table.parent) for table in sorted(Path(__file__).parent.glob("*/table.yaml"))}
