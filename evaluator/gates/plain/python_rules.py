"""The rules for Python sources: everything that a source uses has to be on a list of python_names.py.

What keeps them sound:

- Every name that is read is bound in the source or a listed builtin. A builtin that is not listed may be the name of a
  function's own variable, never of a global one: `if False: def eval(): ...` binds nothing.
- A module is no value, only the first part of a listed name. A class of a library, or of the source, is called,
  subclassed, compared with and named in annotations, but it is no value either.
- An attribute is listed, or it belongs to a class of the source and is read from something that can be nothing but an
  instance of it.
- Attributes are set on `self` and on listed switches, and the sizes of a descriptor on an item, nowhere else.
- No text becomes a name or code.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from evaluator.gates.plain import python_names as names
from evaluator.gates.plain import python_operators as operators
from evaluator.gates.plain.found import KEEPS_STATE, STREAMS, SourceFinding
from evaluator.gates.plain.python_calls import CallRules
from evaluator.gates.plain.python_classes import MOST, OwnClasses
from evaluator.gates.plain.python_labels import labels
from evaluator.gates.plain.python_state import is_set_on_an_item, state_kept
from evaluator.gates.plain.python_tree import Binding, PythonTree, PythonVariable, parts_of
from evaluator.gates.plain.source_text import has_foreign_encoding, kernel_texts

BUILTIN = frozenset(dir(builtins)) | {"help", "exit", "quit", "copyright", "credits", "license"}  # the latter of `site`
Use = tuple[str, str]  # rule and name


def read_python(data: bytes) -> Iterator[SourceFinding]:
    """Yield every use in a Python source that is on no list, and what a reader should know of the others.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: Python cannot parse the source.
    """
    tree = PythonTree(data)
    if has_foreign_encoding(data):
        yield SourceFinding(1, "unreadable_source", "an encoding other than UTF-8")
    yield from PlainRules(tree).findings()
    yield from state_kept(tree)
    yield from kernel_texts(data, tree)
    yield from labels(tree)


class PlainRules:
    """The rules over one source."""

    def __init__(self, tree: PythonTree) -> None:
        self.tree = tree
        self.classes = OwnClasses(
            tree, {node: self._bases(node) for node in tree.nodes if isinstance(node, ast.ClassDef)}
        )
        self.calls = CallRules(tree, self.classes)

    def findings(self) -> Iterator[SourceFinding]:
        for node in self.tree.nodes:
            for rule, name in self._of_node(node):
                yield SourceFinding(getattr(node, "lineno", 1), rule, name)
        for variable in self.tree.variables:
            for binding, (rule, name) in self._of_variable(variable):
                yield SourceFinding(getattr(binding.node, "lineno", 1), rule, name)

    def _of_node(self, node: ast.AST) -> Iterator[Use]:
        if type(node).__name__ not in names.SYNTAX:
            yield "unlisted_syntax", type(node).__name__
        match node:
            case ast.expr():
                yield from self._of_expression(node)
            case ast.Import(names=aliases):
                yield from (("unlisted_import", one.name) for one in aliases if one.name not in names.MODULES)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                yield from self._of_import_from(module or "", aliases, level)
            case ast.ClassDef():
                yield from self._of_class(node)
            case ast.FunctionDef():
                yield from self._of_decorators(node)
            case ast.AugAssign(op=ast.MatMult()):
                yield "library_operator", "@"
            case ast.Global() | ast.Nonlocal() if isinstance(self.tree.scope[node], ast.ClassDef):
                yield "unlisted_syntax", "global names of a class"

    def _of_expression(self, node: ast.expr) -> Iterator[Use]:
        match node:
            case ast.Name(ctx=ast.Load()):
                yield from self._of_name(node)
            case ast.Attribute(ctx=ast.Load()):
                if not isinstance(self.tree.parent[node], ast.Attribute):  # else the whole of it is looked at
                    yield from self.of_chain(*parts_of(node), node)
            case ast.Attribute():
                yield from self._of_attribute_set(node)
            case ast.Call(func=ast.Name(id="getattr" | "hasattr" as name)):
                yield from self._of_getattr(node, name)
            case ast.Call() | ast.Dict() | ast.Subscript(ctx=ast.Store()):
                yield from self.calls.of_call(node) if isinstance(node, ast.Call) else self.calls.of_keys(node)
            case ast.BinOp(op=ast.MatMult()):
                yield "library_operator", "@"
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                yield from (("unlisted_syntax", "async") for one in node.generators if one.is_async)

    def _of_import_from(self, module: str, aliases: list[ast.alias], level: int) -> Iterator[Use]:
        for one in aliases:
            whole = f"{module}.{one.name}"
            if level or (module != "__future__" and whole not in names.MODULES and not _listed(whole)):
                yield "unlisted_import", f"{'.' * level}{whole}"
            elif module != "__future__":
                yield from _labels_of(whole)

    def _of_variable(self, variable: PythonVariable) -> Iterator[tuple[Binding, Use]]:
        """What a variable is called, and whether it means one thing where that matters."""
        name, bindings = variable.name, variable.bindings
        known = names.DUNDER_METHODS if isinstance(variable.scope, ast.ClassDef) else names.DUNDER_NAMES
        if (name.startswith("__") and name not in known) or not name.isascii() or name in names.KEEP_THEIR_MEANING:
            yield bindings[0], ("unlisted_name", name)
        if any(
            isinstance(one.node, ast.ClassDef) or (one.dotted and _is_module_or_class(one.dotted)) for one in bindings
        ):
            kinds = {one: _kind(one) for one in bindings if not one.is_constant}
            first = next(iter(kinds.values()))
            yield from (
                (one, ("two_meanings", name)) for one, kind in kinds.items() if kind == "value" or kind != first
            )
            if len(variable.classes) > MOST or len(variable.imported) > MOST:
                yield bindings[0], ("two_meanings", name)

    def _of_name(self, node: ast.Name) -> Iterator[Use]:
        name, parent, meanings = node.id, self.tree.parent[node], self.tree.meanings(node)
        is_called = isinstance(parent, ast.Call) and parent.func is node
        may_be_builtin = all(one.is_global or isinstance(one.scope, ast.ClassDef) for one in meanings[-1:])
        if (not meanings and name not in names.BUILTINS | names.DUNDER_NAMES) or (
            may_be_builtin and name in BUILTIN - names.BUILTINS - names.DUNDER_NAMES
        ):
            yield "unlisted_name", name
        elif not meanings and name in names.CALLED_ONLY and not is_called:
            yield "unlisted_name", f"{name} as a value"
        elif not meanings and name == "type" and not self._only_tells(node, parent):
            yield "class_as_value", "type"
        elif isinstance(parent, ast.Attribute):
            return  # a part of a longer name
        elif any(one.imported for one in meanings):
            if not self._is_asked_for(node, parent):
                yield from self.of_chain(node, [], node)
        elif self._names_a_class(meanings) and not self._used_as_class(node):
            yield "class_as_value", name
        scope = self.tree.scope[node]
        if isinstance(scope, ast.ClassDef) and any(one.scope is scope and one.functions for one in meanings):
            yield "class_as_value", f"{name} within its class"  # the plain function of a method

    def of_chain(self, first: ast.AST, parts: list[str], place: ast.AST) -> Iterator[Use]:
        """`a.b.c`: a listed name of a library and then listed attributes, or listed attributes of anything."""
        meanings = self.tree.meanings(first) if isinstance(first, ast.Name) else ()
        imported = [start for one in meanings for start in one.imported]
        for start in imported:
            path = [start, *parts]
            sizes = [size for size in range(1, len(path) + 1) if _listed(".".join(path[:size]))]
            if not sizes:
                if parts or start in names.MODULES:  # else its import is found
                    yield "unlisted_attribute" if parts else "module_as_value", ".".join(path)
                continue
            whole, rest = ".".join(path[: sizes[-1]]), path[sizes[-1] :]
            if whole in names.CLASSES and (rest or not self._used_as_class(place)):
                yield "class_as_value", whole
            if whole in names.READ_THEIR_SOURCE and not self.calls.reads_a_function(place):
                yield "text_as_code", f"{whole} of anything but a function"
            yield from _labels_of(whole)
            yield from self._of_attributes(None, rest)
        if not imported:
            yield from self._of_attributes(first, parts)

    def _of_attributes(self, first: ast.AST | None, parts: list[str]) -> Iterator[Use]:
        for index, one in enumerate(parts):
            owned = first is not None and index == 0
            if owned and first and self._is_function_of_class(first, one):
                yield "class_as_value", f"{ast.unparse(first)}.{one} as a function"
            elif one not in names.ATTRIBUTES and not (owned and first and self._is_own(first, one)):
                yield "unlisted_attribute", f".{one}"
        yield from (("library_operator", f".{one}") for one in parts if one in operators.OPERATOR_METHODS)
        yield from (("reads_on_the_host", f".{one}") for one in parts if one in names.ON_THE_HOST)
        yield from ((STREAMS, f".{one}") for one in parts if one in names.STREAM_ATTRIBUTES)

    def _is_function_of_class(self, first: ast.AST, attribute: str) -> bool:
        """Whether `first.attribute` is a method without its `self`, or without its `ctx`."""
        meanings = self.tree.meanings(first) if isinstance(first, ast.Name) else ()
        owners = [owner for one in meanings for owner in self.classes.of_variable(one)]
        if any(self.classes.is_function_of(owner, attribute) for owner in owners):
            return True
        return self.classes.has_function(self.classes.of_instance(first), attribute)

    def _is_own(self, first: ast.AST, attribute: str) -> bool:
        match first:
            case ast.Call(func=ast.Name(id="super")):
                return attribute in ("__init__", "forward")
            case ast.Name() if owners := self.classes.of_variable(self.tree.variable(first)):
                return self.classes.has(owners, attribute)
        return self.classes.has(self.classes.of_instance(first), attribute)

    def _of_attribute_set(self, node: ast.Attribute) -> Iterator[Use]:
        if self.tree.dotted(node) and self.tree.dotted(node) <= names.SWITCHES:
            yield "sets_switches", ast.unparse(node)
        elif is_set_on_an_item(node):
            return
        elif node.attr.startswith("__") or node.attr in names.RESERVED or not self.classes.self_of(node.value):
            yield "foreign_attribute_set", ast.unparse(node)

    def _of_getattr(self, node: ast.Call, name: str) -> Iterator[Use]:
        """`getattr(a, "b", default)` reads `a.b`."""
        match node:
            case ast.Call(args=[owner, ast.Constant(value=str() as text), *_], keywords=[]):
                first, parts = parts_of(owner)
                yield from self.of_chain(first, [*parts, text], node)
            case _:
                yield "computed_name", f"{name} by a name that is computed"

    def _is_asked_for(self, node: ast.Name, parent: ast.AST) -> bool:
        """`if libdevice is not None`, or the first argument of getattr: the module does not become a value."""
        match parent:
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                return test is node
            case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[first, *_]):
                return first is node
        return False

    def _only_tells(self, node: ast.Name, call: ast.AST) -> bool:
        """`type(x) is int`, f"{type(x)}", type(x).__name__, isinstance(x, type): no class gets out of it."""
        if self._used_as_class(node) and not (isinstance(call, ast.Call) and call.func is node):
            return True
        outer = self.tree.parent.get(call)
        named = isinstance(outer, ast.Attribute) and outer.attr == "__name__"
        one = isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords
        return one and (named or isinstance(outer, ast.Compare | ast.FormattedValue))

    def _used_as_class(self, node: ast.AST) -> bool:
        """In an annotation, as a base, in isinstance or except, or called; through tuples, `|` and subscripts."""
        parent = self.tree.parent[node]
        while isinstance(parent, ast.Tuple | ast.List | ast.Subscript | ast.BinOp):
            node, parent = parent, self.tree.parent[parent]
        match parent:
            case ast.arg() | ast.ClassDef():
                return True
            case ast.ExceptHandler(type=one) | ast.AnnAssign(annotation=one) | ast.FunctionDef(returns=one) if (
                one is node
            ):
                return True
            case ast.FunctionDef(decorator_list=those):
                return node in those
            case ast.Call(func=called) if called is node:
                return True
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, one]):
                return one is node
            case ast.Call(func=ast.Name(id="super"), args=[one, second]):
                return one is node and self.classes.self_of(second) is not None
            case ast.Compare() | ast.Raise():
                return True
        return False

    def _names_a_class(self, meanings: Iterable[PythonVariable]) -> bool:
        return any(one.classes or self.classes.of_variable(one) for one in meanings)

    def _bases(self, node: ast.ClassDef) -> set[str]:
        return {dotted for base in node.bases for dotted in self.tree.dotted(base)}

    def _of_class(self, node: ast.ClassDef) -> Iterator[Use]:
        for base in node.bases:
            is_builtin = isinstance(base, ast.Name) and base.id in names.BUILTIN_BASES and not self.tree.meanings(base)
            dotted = self.tree.dotted(base)
            if not is_builtin and (not dotted or not dotted <= names.BASES):
                yield "unlisted_base", ast.unparse(base)
        yield from (("unlisted_base", f"keyword {one.arg}") for one in node.keywords)
        if isinstance(self.tree.scope[node], ast.ClassDef):
            yield "class_as_value", f"{node.name} within a class"
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.tree.dotted(called) != {"dataclasses.dataclass"}:
                yield "unlisted_decorator", ast.unparse(called)

    def _of_decorators(self, node: ast.FunctionDef) -> Iterator[Use]:
        """A method's decorator must not keep the function; of other functions any value may be the decorator."""
        is_method = isinstance(self.tree.scope[node], ast.ClassDef)
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            dotted = self.tree.dotted(called)
            plain = bool(dotted) and dotted <= names.DECORATORS
            builtin = (
                isinstance(called, ast.Name)
                and called.id in names.BUILTIN_DECORATORS
                and not self.tree.meanings(called)
            )
            own = isinstance(called, ast.Name) and bool(self.tree.meanings(called)) and not dotted and not is_method
            if not (plain or builtin or own):
                yield "unlisted_decorator", ast.unparse(called)


def _listed(whole: str) -> bool:
    return whole in names.FUNCTIONS or whole in operators.OPERATORS or whole in names.CLASSES


def _kind(binding: Binding) -> str:
    return "library" if binding.dotted else "class" if isinstance(binding.node, ast.ClassDef) else "value"


def _is_module_or_class(dotted: str) -> bool:
    return dotted not in names.FUNCTIONS and dotted not in operators.OPERATORS


def _labels_of(whole: str) -> Iterator[Use]:
    for rule, those in (
        ("library_operator", operators.OPERATORS),
        (KEEPS_STATE, names.STATE_MAKERS),
        ("device_assembly", names.ASSEMBLY),
        ("sets_switches", names.SWITCHES),
        (STREAMS, names.STREAM_MAKERS),
    ):
        if whole in those:
            yield rule, whole
