"""Families: an editor's tool that writes task folders where one idea has many members.

A family is a package here: a table with one row a task, and a template. The folders that it writes are whole and
committed, and the evaluator knows nothing of families. A folder that is to be edited by hand leaves the table first.
"""

from __future__ import annotations

from scripts.families import pointwise
from scripts.families.folders import Family

FAMILIES = {family.name: family for family in (Family("pointwise", pointwise.rows, pointwise.folder),)}
