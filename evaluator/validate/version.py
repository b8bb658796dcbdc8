"""The version of the checks: what passed another one has to pass again.

The files counted are those that say what a task must pass: this package without what chooses tasks, writes files or
measures on a GPU, and the null candidates. The judge and the gates are left out, since they change far more often than
they turn the verdict on a task's own candidates: when they do, the tests validate one task a family whole
(`tests/covered.py`). Comments, docstrings and line breaks do not count. A change that turns no pass into a failure is
the same version with another digest.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator

from evaluator.state import REPOSITORY

VERSION = 2
DIGEST = "11b42137f46becf0af4d6c89d2bae5ea08764321f580fc5976dda53e48eac208"  # of the checks of this version
NO_CHECKS = ("choice.py", "closing.py", "measure.py", "skeleton.py", "validated.py", "version.py")
NULLS = ("evaluator/judge/nulls.py", "evaluator/judge/relation_nulls.py")


def checks_digest() -> str:
    """The sha256 over what the files of the checks tell Python."""
    folder = REPOSITORY / "evaluator" / "validate"
    paths = sorted(path for path in folder.glob("*.py") if path.name not in NO_CHECKS)
    paths += [REPOSITORY / name for name in NULLS]
    lines = [f"{path.name}\0{meaning(path.read_text(encoding='utf-8'))}\n" for path in paths]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def meaning(source: str) -> str:
    """The syntax tree of a source without docstrings, written the same by every release of Python."""
    return "".join(_written(ast.parse(source)))


def _written(node: object) -> Iterator[str]:
    """`ast.dump` writes empty fields in one release and leaves them out in the next."""
    if isinstance(node, ast.AST):
        yield f"{type(node).__name__}("
        for name, value in ast.iter_fields(node):
            if value not in (None, []):
                yield f"{name}="
                yield from _written(value)
        yield ")"
    elif isinstance(node, list):
        for item in node:
            if not _is_text(item):
                yield from (*_written(item), ",")
    else:
        yield repr(node)


def _is_text(node: object) -> bool:
    """Whether a statement is only a text, such as a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
