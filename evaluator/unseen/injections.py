"""Reads AgentKernelArena's held_out_shapes.yaml, which replaces the shapes in a task's own scripts.

`find_marker` has three kinds: the statement that assigns TEST_SHAPES, the function get_inputs, or (raw_replace) a text
that occurs once in the file. Replacements are foreign Python code, which runs in the sandbox only, like all of the
task's scripts. Only the copies for the sandbox are changed, never the checkout.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from evaluator.errors import UsageError
from evaluator.tasks.fields import Fields, Problems

Marker = Literal["TEST_SHAPES", "def get_inputs", "raw_replace"]
LARGEST = 256 << 10  # bytes of a file that is parsed here: its tree takes up to 200 MB, and candidates write such files
MARKERS: tuple[Marker, ...] = get_args(Marker)
FOR_PEOPLE = ("num_original_shapes", "init_constraints")  # keys that are not used


class NotInjectable(Exception):
    """The text to be replaced does not occur exactly once, or the result is not valid Python."""


@dataclass(frozen=True, slots=True)
class Injection:
    """A replacement in one file; `old` is the text that raw_replace searches for."""

    file: str
    marker: Marker
    old: str
    new: str

    def into(self, data: bytes) -> bytes:
        """The file's content with the replacement; raises NotInjectable."""
        if self.marker == "raw_replace":
            made = self._replaced_text(data)
        else:
            begin, end = self._place(data)
            made = data[:begin] + self.new.strip("\n").encode() + data[end:]
            self._place(made)  # the replacement must define the same name
        if self.file.endswith(".py"):
            self._parsed(made)
        return made

    def _replaced_text(self, data: bytes) -> bytes:
        count = data.count(self.old.encode())
        if count != 1:
            raise NotInjectable(f"old_code occurs {count} times in {self.file}; expected once")
        return data.replace(self.old.encode(), self.new.encode())

    def _place(self, data: bytes) -> tuple[int, int]:
        """The byte range of the marked statement."""
        found = [node for node in self._parsed(data).body if _is_marked(node, self.marker)]
        if len(found) != 1:
            raise NotInjectable(f"{self.marker} occurs {len(found)} times at the top of {self.file}; expected once")
        node, lines = found[0], data.splitlines(keepends=True)
        end_line, end_column = cast(int, node.end_lineno), cast(int, node.end_col_offset)
        begin = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
        return begin, sum(map(len, lines[: end_line - 1])) + end_column

    def _parsed(self, data: bytes) -> ast.Module:
        if len(data) > LARGEST:
            raise NotInjectable(f"{self.file} has more than {LARGEST >> 10} KiB")
        try:
            return ast.parse(data.decode())
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise NotInjectable(f"{self.file} is not Python: {error}") from error


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The replacements of one held_out_shapes.yaml; `digest` is the sha256 of the file."""

    digest: str
    injections: tuple[Injection, ...]

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(sorted({injection.file for injection in self.injections}))

    def into(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """A workspace's files with all replacements, in the order of the file; raises NotInjectable."""
        made = dict(files)
        for injection in self.injections:
            if injection.file not in made:
                raise NotInjectable(f"there is no file {injection.file}")
            made[injection.file] = injection.into(made[injection.file])
        return made


def read_held_out(path: Path, category: str, files: Mapping[str, bytes]) -> HeldOut:
    """Read the held-out shapes for a task of this category, and check that they fit its files.

    Raises:
        TaskError: with every problem.
        UsageError: there is no such file.
    """
    problems = Problems(str(path))
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    top = Fields.read(data, problems)
    top.only(("task_type", *FOR_PEOPLE, "injections"))
    top.choice("task_type", (category,))
    found, made = [], dict(files)
    for item in top.items("injections"):
        before = len(problems.lines)
        injection = _injection(item, tuple(files))
        found.append(injection)
        if len(problems.lines) > before:
            continue
        try:
            made = HeldOut("", (injection,)).into(made)
        except NotInjectable as error:
            item.problem("find_marker", injection.marker, str(error))
    problems.raise_if_any()
    return HeldOut(hashlib.sha256(data).hexdigest(), tuple(found))


def _injection(item: Fields, files: tuple[str, ...]) -> Injection:
    item.only(("file", "find_marker", "old_code", "replacement_code"))
    marker = cast(Marker, item.choice("find_marker", MARKERS))
    old = item.string("old_code", None) if marker == "raw_replace" else ""
    return Injection(str(item.choice("file", files)), marker, old, item.string("replacement_code", None))


def _is_marked(node: ast.stmt, marker: Marker) -> bool:
    """Whether a statement defines the marked name; so does an augmented assignment, which could restore shapes."""
    match node:
        case ast.FunctionDef(name=name):
            return marker == f"def {name}"
        case ast.Assign(targets=targets):
            return any(isinstance(target, ast.Name) and target.id == marker for target in targets)
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)):
            return name == marker
    return False
