"""A parsed Python source with its scopes: which variable a name means, and all that this variable is bound to.

The rules rest on it: a name counts as a module, a class of a library or a class of the file only if nothing else is
ever bound to the same variable.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Binding(NamedTuple):
    """What binds a variable: `node`, and the dotted name that it imports, or the value that it assigns."""

    node: ast.AST
    dotted: str | None = None
    value: ast.expr | None = None

    @property
    def is_constant(self) -> bool:
        return isinstance(self.value, ast.Constant)


class PythonVariable:
    """A name of one scope with every binding of it, in no order. Its facts are asked for when all are known."""

    def __init__(self, scope: ast.AST, name: str) -> None:
        self.scope = scope
        self.name = name
        self.bindings: list[Binding] = []

    @property
    def is_global(self) -> bool:
        return isinstance(self.scope, ast.Module)

    @cached_property
    def imported(self) -> set[str]:
        return {one.dotted for one in self.bindings if one.dotted}

    @cached_property
    def is_only_imported(self) -> bool:
        return all(one.dotted or one.is_constant for one in self.bindings)

    @cached_property
    def classes(self) -> list[ast.ClassDef]:
        return [one.node for one in self.bindings if isinstance(one.node, ast.ClassDef)]

    @cached_property
    def functions(self) -> list[ast.FunctionDef]:
        return [one.node for one in self.bindings if isinstance(one.node, ast.FunctionDef)]


class PythonTree:
    """The nodes of a source with parents and scopes. Built without recursion, in time linear in their number."""

    def __init__(self, source: bytes) -> None:
        self.module = ast.parse(source)
        self.nodes = list[ast.AST]()
        self.parent = dict[ast.AST, ast.AST]()
        self.scope = dict[ast.AST, ast.AST]()  # in which a node is evaluated; of a scope the one around it
        self._variables = dict[tuple[ast.AST, str], PythonVariable]()
        self._declared = dict[tuple[ast.AST, str], bool]()  # `global` (true) and `nonlocal` names of a scope
        self._aliased = dict[PythonVariable, set[str]]()
        self._meanings = dict[tuple[ast.AST, str], tuple[PythonVariable, ...]]()
        self._walk()
        self._bind()
        self._by_scope = dict[ast.AST, list[PythonVariable]]()
        for variable in self._variables.values():
            self._by_scope.setdefault(variable.scope, []).append(variable)

    @property
    def variables(self) -> list[PythonVariable]:
        return list(self._variables.values())

    def meanings(self, node: ast.Name) -> tuple[PythonVariable, ...]:
        """The variables that a name may mean: none for a builtin or a name without a binding, two in a class's body."""
        key = self.scope[node], node.id
        if key not in self._meanings:
            self._meanings[key] = self._resolve(*key)
        return self._meanings[key]

    def variable(self, node: ast.AST) -> PythonVariable | None:
        """The one variable that a name means; None for anything but a name with exactly one meaning."""
        found = self.meanings(node) if isinstance(node, ast.Name) else ()
        return found[0] if len(found) == 1 else None

    def variables_of(self, scope: ast.AST) -> list[PythonVariable]:
        return self._by_scope.get(scope, [])

    def dotted(self, node: ast.AST) -> set[str]:
        """The full names that `a.b.c` may have, where its first part is imported and can be nothing else."""
        first, parts = parts_of(node)
        meanings = self.meanings(first) if isinstance(first, ast.Name) else ()
        if not all(variable.is_only_imported for variable in meanings):
            return set()
        return {".".join([start, *parts]) for variable in meanings for start in variable.imported}

    def aliased(self, variable: PythonVariable) -> set[str]:
        """The full names of what a variable is assigned, where that is imported: `f = torch.Tensor`."""
        if variable not in self._aliased:
            values = [one.value for one in variable.bindings if one.value is not None]
            self._aliased[variable] = {name for value in values for name in self.dotted(value)}
        return self._aliased[variable]

    def function_of(self, node: ast.AST) -> ast.AST | None:
        """The innermost function whose body holds the node."""
        scope = self.scope[node]
        while not isinstance(scope, (*Function, ast.Module)):
            scope = self.scope[scope]
        return scope if isinstance(scope, Function) else None

    def _walk(self) -> None:
        stack: list[tuple[ast.AST, ast.AST]] = [(self.module, self.module)]
        while stack:
            node, scope = stack.pop()
            self.nodes.append(node)
            self.scope[node] = scope
            for child, inner in _children(node, scope):
                self.parent[child] = node
                stack.append((child, inner))

    def _bind(self) -> None:
        for node in self.nodes:
            if isinstance(node, ast.Global | ast.Nonlocal):
                self._declared |= {(self.scope[node], name): isinstance(node, ast.Global) for name in node.names}
        found = [(self._binding_scope(node), *one) for node in self.nodes for one in self._bindings(node)]
        # What `nonlocal` means follows from the bindings around it, so those come first.
        for scope, name, binding in sorted(found, key=lambda one: self._declared.get(one[:2]) is False):
            key = self._owner(scope, name), name
            self._variables.setdefault(key, PythonVariable(*key)).bindings.append(binding)

    def _binding_scope(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.arg):
            return self.parent[self.parent[node]]  # of its `arguments`
        scope = self.scope[node]
        if isinstance(self.parent.get(node), ast.NamedExpr):  # binds around the comprehensions that it is in
            while isinstance(scope, Comprehension):
                scope = self.scope[scope]
        return scope

    def _owner(self, scope: ast.AST, name: str) -> ast.AST:
        """The scope whose variable a scope binds under this name."""
        declared = self._declared.get((scope, name))
        if declared is None:
            return scope
        if declared:
            return self.module
        outer = self.scope[scope]
        while isinstance(outer, ast.ClassDef) or ((outer, name) not in self._variables and outer is not self.module):
            outer = self.scope[outer]
        return outer

    def _resolve(self, scope: ast.AST, name: str) -> tuple[PythonVariable, ...]:
        first = self._variables.get((self._owner(scope, name), name))
        if isinstance(scope, ast.ClassDef) and first:  # where a class's body has not bound it yet, the global is meant
            outer = self._variables.get((self.module, name))
            return (first, outer) if outer else (first,)
        if first or (scope, name) in self._declared:
            return (first,) if first else ()
        while not isinstance(scope, ast.Module):
            scope = self.scope[scope]
            outer = self._variables.get((self._owner(scope, name), name))
            if outer and not isinstance(scope, ast.ClassDef):
                return (outer,)
        return ()

    def _bindings(self, node: ast.AST) -> Iterator[tuple[str, Binding]]:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name, Binding(node, value=_assigned(self.parent[node], node))
            case (
                ast.arg(arg=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield name, Binding(node)
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                yield name, Binding(node)
            case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
                yield name, Binding(node)
            case ast.Import(names=aliases):
                for one in aliases:
                    first = one.name.partition(".")[0]
                    yield one.asname or first, Binding(node, one.name if one.asname else first)
            case ast.ImportFrom(module=module, names=aliases) if module != "__future__":
                for one in aliases:
                    yield one.asname or one.name, Binding(node, f"{module}.{one.name}")


def parts_of(node: ast.AST) -> tuple[ast.AST, list[str]]:
    """What `a.b.c` begins with, and the names after it."""
    parts = list[str]()
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return node, parts[::-1]


def _assigned(parent: ast.AST, name: ast.Name) -> ast.expr | None:
    match parent:
        case ast.Assign(targets=targets, value=value) if name in targets:
            return value
        case ast.AnnAssign(value=value) | ast.NamedExpr(value=value):
            return value
    return None


def _children(node: ast.AST, scope: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """The parts of a node with the scope in which each is evaluated: defaults, decorators and the first iterable of a
    comprehension lie outside of what they belong to."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield from ((child, node) for child in node.body)
            inside = {id(child) for child in node.body}
            yield from ((child, scope) for child in ast.iter_child_nodes(node) if id(child) not in inside)
        case ast.Lambda(args=arguments, body=body):
            yield from ((arguments, scope), (body, node))
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            first = node.generators[0].iter
            for child in ast.iter_child_nodes(node):
                parts = ast.iter_child_nodes(child) if isinstance(child, ast.comprehension) else [child]
                yield from ((part, scope if part is first else node) for part in parts)
        case _:
            yield from ((child, scope) for child in ast.iter_child_nodes(node))
