"""What of a Python source only its text tells: its encoding, and what triton would read as the source of a kernel."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator

from evaluator.gates.plain.found import SourceFinding
from evaluator.gates.plain.python_tree import PythonTree

CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
OWN_CODINGS = (b"utf-8", b"utf8", b"ascii", b"us-ascii")
KERNEL = re.compile(r"^def\s+\w+\s*\(", re.MULTILINE)  # how triton finds where a kernel begins


def has_foreign_encoding(data: bytes) -> bool:
    """Whether the source declares an encoding in which a reader would see another text than Python does."""
    codings = [found[1].lower() for line in data.splitlines()[:2] if (found := CODING.match(line))]
    return any(coding not in OWN_CODINGS for coding in codings)


def kernel_texts(data: bytes, tree: PythonTree) -> Iterator[SourceFinding]:
    """Yield a finding for each function whose kernel triton would take from a text within it.

    Triton reads a function's lines from its file, decorators included, and begins at the first that looks like a `def`:
    in a text of several lines, that would be code which no rule has read.
    """
    lines = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for node in tree.nodes:
        if isinstance(node, ast.FunctionDef) and node.end_lineno:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            text = textwrap.dedent("\n".join(lines[first - 1 : node.end_lineno]))
            found = KERNEL.search(text)
            if found is None or text.count("\n", 0, found.start()) != node.lineno - first:
                yield SourceFinding(node.lineno, "text_as_code", node.name)
