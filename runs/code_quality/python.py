"""Measures Python sources by radon: kernels, which are the functions that Triton compiles, and the code around them.

Comments, docstrings and layout are gone before anything is counted, so they change no figure: radon's own index rewards
comments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from radon.metrics import h_visit_ast, mi_compute
from radon.raw import analyze
from radon.visitors import ComplexityVisitor

from runs.code_quality.parts import MeasuredPart, Quality
from runs.code_quality.proxies import complexities

BODIES = ("body", "orelse", "finalbody")


def measure(sources: Sequence[str]) -> Quality:
    """Measure all files of a candidate together.

    Raises:
        SyntaxError, ValueError: one of them does not parse.
        RecursionError, MemoryError: one is nested too deeply.
    """
    kernels, host = list[ast.stmt](), list[ast.stmt]()
    for source in sources:
        module = _Bare().visit(ast.parse(source))
        split = _Split(_jitted(module))
        host += split.visit(module).body
        kernels += split.kernels
    return Quality("python", _part(kernels), _part(host))


def _part(body: list[ast.stmt]) -> MeasuredPart | None:
    if not body:
        return None
    text = ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))
    module, lines = ast.parse(text), analyze(text).lloc
    volume, branches = h_visit_ast(module).total.volume, ComplexityVisitor.from_ast(module).total_complexity
    index = mi_compute(volume, branches, lines, 0) if volume else None  # radon says 100 where nothing is computed
    return MeasuredPart.of(complexities(module), lines, index)


class _Filled(ast.NodeTransformer):
    """A transformer that never leaves a block empty."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        filled = [name for name in BODIES if isinstance(getattr(node, name, None), list) and getattr(node, name)]
        super().generic_visit(node)
        for name in filled:
            if not getattr(node, name) and not isinstance(node, ast.Module):
                setattr(node, name, [ast.Pass()])
        return node


class _Bare(_Filled):
    """Removes docstrings, and every other text that stands alone as a comment would."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str | bytes)
        return None if is_text else self.generic_visit(node)


class _Split(_Filled):
    """Takes the kernels out of a module, from wherever they are defined; the rest stays."""

    def __init__(self, jitted: set[ast.AST]) -> None:
        self.jitted, self.kernels = jitted, list[ast.stmt]()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        if node not in self.jitted:
            return self.generic_visit(node)
        self.kernels.append(node)
        return None


def _jitted(module: ast.Module) -> set[ast.AST]:
    """Return the functions that `triton.jit` decorates, or gets as an argument, under whichever name it is known."""
    names = _names_of_triton(module)
    nodes = list(ast.walk(module))
    passed = {
        node.args[0].id
        for node in nodes
        if isinstance(node, ast.Call) and _is_jit(node.func, names) and node.args and isinstance(node.args[0], ast.Name)
    }
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    return {one for one in functions if one.name in passed or any(_is_jit(by, names) for by in one.decorator_list)}


def _names_of_triton(module: ast.Module) -> dict[str, str]:
    """Map names to what of Triton they stand for: imported ones, and other names given to these."""
    names = dict[str, str]()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names.update(
                (alias.asname, alias.name) if alias.asname else (_root(alias.name),) * 2 for alias in node.names
            )
        elif isinstance(node, ast.ImportFrom):
            names.update((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _dotted(node.value, names):
            names.setdefault(node.targets[0].id, _dotted(node.value, names))
    return {name: meant for name, meant in names.items() if _root(meant) == "triton"}


def _is_jit(node: ast.expr, names: dict[str, str]) -> bool:
    """Whether this is `triton.jit`, or a call of it with settings."""
    meant = _dotted(node.func if isinstance(node, ast.Call) else node, names)
    return _root(meant) == "triton" and meant.endswith(".jit")


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    """Return what a dotted name stands for; nothing where its first part is no imported name."""
    parts = list(_parts(node))
    return ".".join((names[parts[-1]], *reversed(parts[:-1]))) if parts and parts[-1] in names else ""


def _parts(node: ast.expr) -> Iterator[str]:
    """Yield the parts of a dotted name, the last first; nothing of other expressions."""
    found = list[str]()
    while isinstance(node, ast.Attribute):
        found.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        yield from (*found, node.id)


def _root(dotted: str) -> str:
    return dotted.split(".", 1)[0]
