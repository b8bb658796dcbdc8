"""The knobs of a Triton source: sizes in the launches of its kernels, num_warps and num_stages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import accumulate
from typing import cast

from evaluator.agents.block_tuner.knobs import Knob, is_size, size_knob

OPTIONS = {"num_warps": (("1", "2", "4", "8", "16"), "4"), "num_stages": (("1", "2", "3", "4"), "2")}  # and default
Place = tuple[int, int]


def triton_knobs(file: str, source: bytes) -> list[Knob]:
    """All knobs of one file, in the order of its text; none where it does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    text = _Text(file, source, tree)
    found: dict[tuple[object, ...], Knob] = {}
    for knob in text.knobs():
        adds = (
            knob.places[0][0] == knob.places[0][1]
        )  # several options may be added in one place; a literal is one knob
        found.setdefault((knob.places, knob.name if adds else ""), knob)
    return sorted(found.values(), key=lambda knob: (knob.places, knob.name))


class _Text:
    def __init__(self, file: str, source: bytes, tree: ast.Module) -> None:
        self._file, self._tree = file, tree
        self._lines = [0, *accumulate(len(line) for line in source.splitlines(keepends=True))]
        kernels = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _says(node, "jit")]
        self._kernels = {kernel.name: _says(kernel, "autotune") for kernel in kernels}

    def knobs(self) -> Iterator[Knob]:
        for call in (node for node in ast.walk(self._tree) if isinstance(node, ast.Call)):
            match call.func:
                case ast.Subscript(value=ast.Name(id=name), slice=grid) if name in self._kernels:
                    yield from self._sizes(call, grid)
                    yield from self._options(call, name, may_add=not self._kernels[name])
                case ast.Attribute(attr="Config") | ast.Name(id="Config"):
                    yield from self._options(call, "Config", may_add=False)
                    yield from self._dict_sizes(call)

    def _sizes(self, call: ast.Call, grid: ast.expr) -> Iterator[Knob]:
        for keyword in call.keywords:
            if keyword.arg is None or not keyword.arg.isupper():
                continue
            values = [keyword.value]
            if isinstance(keyword.value, ast.Name):
                values = self._assigned(keyword.value.id)
            for value in values:
                yield from self._literals(keyword.arg, value, grid)

    def _literals(self, name: str, value: ast.expr, grid: ast.expr) -> Iterator[Knob]:
        """One knob a literal; where it is the whole value, equal literals of the grid change with it."""
        for literal in _integers(value):
            same = [one for one in _integers(grid) if one.value == literal.value] if literal is value else []
            places = [self._place(one) for one in (literal, *same)]
            yield size_knob(self._file, f"{name} (line {literal.lineno})", sorted(places), cast("int", literal.value))

    def _dict_sizes(self, call: ast.Call) -> Iterator[Knob]:
        for table in (argument for argument in call.args[:1] if isinstance(argument, ast.Dict)):
            for key, value in zip(table.keys, table.values, strict=True):
                if (
                    isinstance(key, ast.Constant)
                    and isinstance(key.value, str)
                    and isinstance(value, ast.Constant)
                    and is_size(value.value)
                ):
                    name = f"{key.value!s} (line {value.lineno})"
                    yield size_knob(self._file, name, [self._place(value)], cast("int", value.value))

    def _options(self, call: ast.Call, kernel: str, *, may_add: bool) -> Iterator[Knob]:
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        for option, (choices, default) in OPTIONS.items():
            name = f"{option} of {kernel} (line {call.lineno})"
            match given.get(option):
                case ast.Constant(value=int() as value) as literal if str(value) in choices:
                    yield Knob(self._file, name, (self._place(literal),), choices, choices.index(str(value)))
                case None if may_add and None not in given and (call.args or call.keywords):
                    end = max(self._place(node)[1] for node in (*call.args, *given.values()))
                    added = tuple("" if choice == default else f", {option}={choice}" for choice in choices)
                    yield Knob(self._file, name, ((end, end),), added, choices.index(default))

    def _assigned(self, name: str) -> list[ast.expr]:
        """Every value that the module assigns to the name."""
        assigns = (node for node in ast.walk(self._tree) if isinstance(node, ast.Assign))
        return [
            value
            for assign in assigns
            for target in assign.targets
            for one, value in _pairs(target, assign.value)
            if isinstance(one, ast.Name) and one.id == name
        ]

    def _place(self, node: ast.expr) -> Place:
        """The byte range of a node; ast counts columns in bytes."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self._lines[node.lineno - 1] + node.col_offset, self._lines[end_line - 1] + end_column


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(target.elts, value.elts, strict=False)
    else:
        yield target, value


def _integers(tree: ast.expr) -> Iterator[ast.Constant]:
    """Literal sizes in an expression, outside comparisons: those are conditions, not sizes."""
    if isinstance(tree, ast.Compare):
        return
    if isinstance(tree, ast.Constant) and is_size(tree.value):
        yield tree
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.expr):
            yield from _integers(child)


def _says(function: ast.FunctionDef, word: str) -> bool:
    return any(word in ast.unparse(decorator) for decorator in function.decorator_list)
