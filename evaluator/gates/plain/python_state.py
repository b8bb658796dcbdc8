"""What of a Python source outlives a call of it: caches, counters, plans. Honest kernels keep such things too."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evaluator.gates.plain import python_names as names
from evaluator.gates.plain.found import KEEPS_STATE, SourceFinding
from evaluator.gates.plain.python_tree import Comprehension, PythonTree, PythonVariable, parts_of

MAKERS = ("__init__", "__post_init__")
COMPOSED = (
    *(ast.Tuple, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp),
    *(ast.JoinedStr, ast.FormattedValue, ast.Starred, ast.Subscript),
)
TABLE = (ast.Dict, ast.List, ast.Set, *Comprehension)


def state_kept(tree: PythonTree) -> Iterator[SourceFinding]:
    """Yield what a source may remember from one call to the next: what is changed in a function and was not made in it,
    and what is read in one from around it, unless its value never changes."""
    around = _Around(tree)
    for node in tree.nodes:
        match node:
            case ast.Global() | ast.Nonlocal():
                yield SourceFinding(node.lineno, KEEPS_STATE, ", ".join(node.names))
            case ast.arguments(defaults=defaults, kw_defaults=more):
                given = [one for one in [*defaults, *more] if one is not None and not _is_fixed(tree, one)]
                yield from (SourceFinding(one.lineno, KEEPS_STATE, "a default argument") for one in given)
            case ast.Attribute(ctx=ast.Store()) if _root(node) == "self" and _method_name(tree, node) not in MAKERS:
                yield SourceFinding(node.lineno, KEEPS_STATE, ast.unparse(node))
            case ast.Attribute() if is_set_on_an_item(node):
                yield SourceFinding(node.lineno, KEEPS_STATE, ast.unparse(node))
            case ast.Name(ctx=ast.Load()) if around.may_change(node):
                yield SourceFinding(node.lineno, KEEPS_STATE, node.id)


def is_set_on_an_item(node: ast.Attribute) -> bool:
    """Whether it is `items["name"].attribute = …`, for an attribute that any object may be given."""
    match node:
        case ast.Attribute(value=ast.Subscript(slice=ast.Constant(value=str())), attr=attribute, ctx=ast.Store()):
            return attribute in names.SETTABLE
    return False


class _Around:
    """What functions read from the scopes around them."""

    def __init__(self, tree: PythonTree) -> None:
        self.tree = tree
        self.changes_anything = any(_changed(tree, node) is not None for node in tree.nodes)
        self._known = dict[PythonVariable, bool]()

    def may_change(self, node: ast.Name) -> bool:
        """Whether a function reads the name from around it, and its value may change."""
        function = self.tree.function_of(node)
        outer = [one for one in self.tree.meanings(node) if function and _is_around(self.tree, one, function)]
        for one in outer:
            if one not in self._known:
                self._known[one] = not _never_changes(self.tree, one, self.changes_anything)
        return any(self._known[one] for one in outer)


def _changed(tree: PythonTree, node: ast.AST) -> ast.AST | None:
    """What a node changes in a function, unless the function made it itself."""
    match node:
        case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
            pass
        case ast.Call(func=ast.Attribute(value=owner, attr=method)) if method in names.CHANGES:
            pass
        case ast.Call(func=ast.Name(id="next"), args=[owner, *_]):
            pass
        case _:
            return None
    first, _ = parts_of(owner)
    variable = tree.variable(first)
    if tree.function_of(node) is None:
        return None
    made = variable is not None and all(isinstance(one.value, (*TABLE, ast.Call)) for one in variable.bindings)
    return None if made and variable and not variable.is_global else owner


def _is_around(tree: PythonTree, variable: PythonVariable, function: ast.AST) -> bool:
    """Whether a variable belongs to a scope around a function, and not to one within it."""
    scope = variable.scope
    while isinstance(scope, Comprehension):
        scope = tree.scope[scope]
    return scope is not function


def _never_changes(tree: PythonTree, variable: PythonVariable, changes_anything: bool) -> bool:
    """Whether all that a variable is bound to keeps its value. A filled table does if no function changes what it was
    given."""
    for one in variable.bindings:
        made_here = isinstance(one.node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)
        is_table = isinstance(one.value, TABLE) and not _is_empty(one.value) and not changes_anything
        is_loop = one.value is None and variable.is_global is False  # a parameter of the function around
        if not (made_here or is_table or is_loop or (one.value is not None and _is_fixed(tree, one.value))):
            return False
    return True


def _is_empty(node: ast.expr) -> bool:
    return (isinstance(node, ast.Dict) and not node.keys) or (isinstance(node, ast.List | ast.Set) and not node.elts)


def _is_fixed(tree: PythonTree, node: ast.expr) -> bool:
    """Whether the value of an expression never changes: numbers, texts, dtypes, tuples of these, functions."""
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, COMPOSED):
            stack += [child for child in ast.iter_child_nodes(one) if isinstance(child, ast.expr)]
        elif not isinstance(one, ast.Lambda | ast.Constant) and not _is_fixed_part(tree, one):
            return False
    return True


def _is_fixed_part(tree: PythonTree, node: ast.expr) -> bool:
    match node:
        case ast.Name():
            known = [one.value for variable in tree.meanings(node) for one in variable.bindings]
            return all(value is None or isinstance(value, ast.Constant | ast.Attribute | ast.Lambda) for value in known)
        case ast.Attribute():
            return bool(tree.dotted(node)) or isinstance(node.value, ast.Name)
        case ast.Call(func=called):
            dotted = tree.dotted(called)
            builtin = isinstance(called, ast.Name) and called.id in names.FIXED_BUILTINS and not tree.meanings(called)
            return builtin or (bool(dotted) and dotted <= names.FIXED)
    return False


def _root(node: ast.Attribute) -> str:
    first, _ = parts_of(node)
    return first.id if isinstance(first, ast.Name) else ""


def _method_name(tree: PythonTree, node: ast.AST) -> str:
    return getattr(tree.function_of(node), "name", "")
