"""The classes of a source: what their instances are called, and where `self` can be nothing but an instance.

Attributes may be set on `self` alone. So a method must never be a plain function that could be called with something
else in its place: it is not read from its class, nor within the class's body, nor kept by a decorator.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evaluator.gates.plain import python_names as names
from evaluator.gates.plain.python_tree import PythonTree, PythonVariable

MOST = 8  # classes of one name, as alternatives
RETURN_THEMSELVES = (
    "eval",
    "train",
    "cuda",
    "cpu",
    "to",
    "half",
    "float",
    "double",
    "bfloat16",
)  # methods of nn.Module


class OwnClasses:
    def __init__(self, tree: PythonTree, dotted: dict[ast.ClassDef, set[str]]) -> None:
        """`dotted` has the full names of each class's bases in libraries."""
        self.tree = tree
        self.bases = dotted
        self._named = dict[PythonVariable, list[ast.ClassDef]]()
        self._known = dict[PythonVariable, list[ast.ClassDef]]()
        methods = {node: self._methods_of(node) for node in dotted}
        self._methods = {node: {one.name for one in those if not self._is_free(one)} for node, those in methods.items()}
        self._take_ctx = {node: {one.name for one in those if self._takes_ctx(one)} for node, those in methods.items()}
        self._attributes = {node: set(self._attributes_of(node)) - names.RESERVED for node in dotted}

    def has(self, owners: list[ast.ClassDef], attribute: str) -> bool:
        """Whether every one of these classes has the attribute itself, not from a library."""
        return bool(owners) and all(attribute in self._attributes[owner] for owner in owners)

    def of_variable(self, variable: PythonVariable | None) -> list[ast.ClassDef]:
        """The classes that a variable names; empty if it may be anything else. `cls` names the class around it."""
        if variable is None:
            return []
        if variable not in self._named:
            self._named[variable] = self._named_by(variable)
        return self._named[variable]

    def _named_by(self, variable: PythonVariable) -> list[ast.ClassDef]:
        function = variable.scope
        if isinstance(function, ast.FunctionDef) and decorated_as(function, "classmethod", self.tree):
            return self._around(variable)
        others = [one for one in variable.bindings if not isinstance(one.node, ast.ClassDef)]
        return variable.classes[:MOST] if all(one.is_constant for one in others) else []

    def of_instance(self, node: ast.AST) -> list[ast.ClassDef]:
        """The classes that a value may be an instance of; empty if it may be anything else."""
        match node:
            case ast.IfExp(body=one, orelse=other):
                first, second = self.of_instance(one), self.of_instance(other)
                return [*first, *second] if first and second else []
            case ast.Call(func=ast.Name() as called):
                return self.of_variable(self.tree.variable(called))
            case ast.Call(func=ast.Attribute(value=inner, attr=method)) if method in RETURN_THEMSELVES:
                owners = self.of_instance(inner)
                are_modules = all("torch.nn.Module" in self.bases[owner] for owner in owners)
                return owners if are_modules and not any(method in self._attributes[owner] for owner in owners) else []
            case ast.Name():
                return self._of_name(node)
        return []

    def self_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The class of which a name is an instance, as `self` of a method or `ctx` of an autograd.Function."""
        variable = self.tree.variable(node)
        if variable is None or variable.name not in ("self", "ctx"):
            return None
        found = self._around(variable)
        if not found or not isinstance(method := variable.scope, ast.FunctionDef):
            return None
        if variable.name == "self":
            return found[0] if all(self._keeps_a_method(one) for one in method.decorator_list) else None
        is_function = "torch.autograd.Function" in self.bases[found[0]] and method.name in names.OF_AUTOGRAD
        return found[0] if is_function and self._is_static(method) else None

    def is_function_of(self, owner: ast.ClassDef, attribute: str) -> bool:
        """Whether reading the attribute from the class gives a function to which any object could be `self`."""
        return attribute in self._methods[owner]

    def has_function(self, owners: list[ast.ClassDef], attribute: str) -> bool:
        """Whether reading the attribute from an instance gives a function to which any object could be `ctx`."""
        return any(attribute in self._take_ctx[owner] for owner in owners)

    def _methods_of(self, owner: ast.ClassDef) -> list[ast.FunctionDef]:
        return [one for variable in self.tree.variables_of(owner) for one in variable.functions]

    def _is_static(self, method: ast.FunctionDef) -> bool:
        """Whether it is a static method whose other decorators keep it from everybody."""
        match method.decorator_list:
            case [ast.Name(id="staticmethod") as first, *rest]:
                return not self.tree.meanings(first) and all(self._keeps_a_method(one) for one in rest)
        return False

    def _is_free(self, method: ast.FunctionDef) -> bool:
        free = self._is_static(method) or decorated_as(method, "classmethod", self.tree)
        return free and not self._takes_ctx(method)

    def _takes_ctx(self, method: ast.FunctionDef) -> bool:
        first = [*method.args.posonlyargs, *method.args.args][:1]
        return self._is_static(method) and [one.arg for one in first] == ["ctx"]

    def _around(self, variable: PythonVariable) -> list[ast.ClassDef]:
        """The class of which a variable is the first parameter of a method, if it is never bound again."""
        method = variable.scope
        owner = self.tree.parent.get(method)
        if not isinstance(method, ast.FunctionDef) or not isinstance(owner, ast.ClassDef) or len(variable.bindings) > 1:
            return []
        first = [*method.args.posonlyargs, *method.args.args][:1]
        return [owner] if [one.arg for one in first] == [variable.name] else []

    def _keeps_a_method(self, decorator: ast.expr) -> bool:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Name) and called.id == "property":
            return not self.tree.meanings(called)
        return self.tree.dotted(called) <= names.KEEP_METHODS and bool(self.tree.dotted(called))

    def _of_name(self, node: ast.Name) -> list[ast.ClassDef]:
        if owner := self.self_of(node):
            return [owner]
        variable = self.tree.variable(node)
        if variable is None:
            return []
        if variable not in self._known:
            self._known[variable] = []  # what a variable is bound to may name the variable
            values = [one.value for one in variable.bindings if not one.is_constant]
            found = [self.of_instance(value) if value else [] for value in values]
            self._known[variable] = list(dict.fromkeys(owner for one in found for owner in one)) if all(found) else []
        return self._known[variable]

    def _attributes_of(self, owner: ast.ClassDef) -> Iterator[str]:
        yield from (variable.name for variable in self.tree.variables_of(owner))
        for node in ast.walk(owner):
            match node:
                case ast.Attribute(value=ast.Name() as first, attr=name, ctx=ast.Store()) if (
                    self.self_of(first) is owner
                ):
                    yield name
                case ast.Call(
                    func=ast.Attribute(value=ast.Name() as first, attr=attr),
                    args=[ast.Constant(value=str() as name), *_],
                ):
                    if attr in ("register_buffer", "register_parameter") and self.self_of(first) is owner:
                        yield name


def decorated_as(method: ast.FunctionDef, builtin: str, tree: PythonTree) -> bool:
    """Whether the builtin is the one decorator of a method."""
    match method.decorator_list:
        case [ast.Name(id=name) as one]:
            return name == builtin and not tree.meanings(one)
    return False
