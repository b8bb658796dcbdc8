"""Static proxies of a reference's complexity, which KernelBench-X holds against failure: counts over its source.

Only code inside functions counts. Comments, docstrings and how lines are wrapped change no count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from radon.visitors import ComplexityVisitor


def proxies_of(source: str) -> dict[str, int]:
    """Return four counts over all functions of a module that is one of ours: a task's reference.

    - `assignments`: assignments of every form (`=`, `+=`, with a type, `:=`)
    - `calls`: calls of what torch exports, under whichever name it was imported; methods of tensors are not seen
    - `complexity`: the greatest cyclomatic complexity of a function, as radon counts it
    - `span`: statements, each `def`, `if` and `return` one of them

    Raises:
        ValueError: no function is in it, so there is nothing to count.
        SyntaxError: it does not parse.
    """
    module = ast.parse(source)
    functions = list(_outermost(module))
    if not functions:
        raise ValueError("a reference without a function has no proxies")
    nodes = [node for function in functions for node in ast.walk(function)]
    names = _names_of_torch(module)
    return {
        "assignments": sum(_is_assignment(node) for node in nodes),
        "calls": sum(isinstance(node, ast.Call) and _root(node.func) in names for node in nodes),
        "complexity": max(complexities(module)),
        "span": sum(isinstance(node, ast.stmt) for node in nodes) - sum(map(_has_docstring, nodes)),
    }


def complexities(module: ast.Module) -> list[int]:
    """Return the cyclomatic complexity of every function; one inside another is counted by itself, as radon does."""
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [ComplexityVisitor.from_ast(function).functions[0].complexity for function in functions]


def _outermost(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the functions that are in no other function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        else:
            yield from _outermost(child)


def _names_of_torch(module: ast.Module) -> set[str]:
    """Return the names under which the module imported torch, or parts of it."""
    names = set[str]()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            own = [alias for alias in node.names if alias.name.split(".")[0] == "torch"]
            names.update(alias.asname or "torch" for alias in own)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch":
            names.update(alias.asname or alias.name for alias in node.names)
    return names


def _root(node: ast.expr) -> str:
    """Return the name that a dotted name begins with; nothing for other expressions."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_assignment(node: ast.AST) -> bool:
    typed = isinstance(node, ast.AnnAssign) and node.value is not None
    return typed or isinstance(node, ast.Assign | ast.AugAssign | ast.NamedExpr)


def _has_docstring(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    return ast.get_docstring(node, clean=False) is not None
