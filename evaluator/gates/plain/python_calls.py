"""The rules for calls in Python sources: what becomes a name by being a keyword, and what is read as a text."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evaluator.gates.plain import python_names as names
from evaluator.gates.plain.found import STREAMS
from evaluator.gates.plain.python_classes import OwnClasses
from evaluator.gates.plain.python_tree import PythonTree

FORWARD_THEIR_KEYWORDS = frozenset(["functools.partial"])
MAKE_CLASSES = names.ENUMERATIONS | {"typing.NamedTuple"}


class CallRules:
    """A keyword of a call may reach a kernel's launch, where it is an option. So in every call, but those of listed
    functions, it is on a list, or a parameter or field of the source."""

    def __init__(self, tree: PythonTree, classes: OwnClasses) -> None:
        self.tree = tree
        self.classes = classes
        parameters = {node.arg for node in tree.nodes if isinstance(node, ast.arg)}
        fields = {variable.name for owner in classes.bases for variable in tree.variables_of(owner)}
        self.own_keywords = parameters | fields | names.LAUNCH

    def of_call(self, node: ast.Call) -> Iterator[tuple[str, str]]:
        dotted = self.tree.dotted(node.func)
        if dotted & MAKE_CLASSES or self._makes_an_enumeration(node):
            yield "computed_name", "a class made by a call"
        for whole in dotted & names.LIBRARY_KEYWORDS.keys():
            yield from self._of_keywords(node, names.LIBRARY_KEYWORDS[whole])
            if len(node.args) > names.LIBRARY_ARGUMENTS[whole] or any(
                isinstance(one, ast.Starred) for one in node.args
            ):
                yield "unlisted_option", f"{whole} with arguments in order"
        if "triton.Config" in dotted:
            for one in [*node.args[:1], *(given.value for given in node.keywords if given.arg == "kwargs")]:
                yield from self._of_mapping(one)
        if not dotted or dotted & FORWARD_THEIR_KEYWORDS:
            is_dict = isinstance(node.func, ast.Name) and node.func.id == "dict"
            known = self.own_keywords | names.KEYWORDS
            yield from self._of_keywords(node, None if is_dict else known)

    def of_keys(self, node: ast.Dict | ast.Subscript) -> Iterator[tuple[str, str]]:
        """Options of launches as keys: a mapping of them becomes the keywords of a launch."""
        keys = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else [(node.slice, None)]
        for key, value in keys:
            is_off = isinstance(value, ast.Constant) and not value.value
            if isinstance(key, ast.Constant) and key.value in names.HELD_KEYS and not is_off:
                yield "unlisted_option", str(key.value)

    def reads_a_function(self, place: ast.AST) -> bool:
        """Whether what reads a function's source here gets a function of the file, which the rules have read too."""
        parent = self.tree.parent[place]
        if isinstance(parent, ast.Call) and parent.func is place:
            if parent.args:
                return len(parent.args) == 1 and self._is_plain_function(parent.args[0])
            place, parent = parent, self.tree.parent[parent]
        return isinstance(parent, ast.FunctionDef) and parent.decorator_list[-1:] == [place]

    def _is_plain_function(self, node: ast.AST) -> bool:
        variable = self.tree.variable(node)
        if variable is None or not variable.functions or len(variable.functions) != len(variable.bindings):
            return False
        return all(not one.decorator_list for one in variable.functions)

    def _makes_an_enumeration(self, node: ast.Call) -> bool:
        """Whether an own Enum is called with more than a value, which makes a class with names from a list."""
        owners = self.classes.of_variable(self.tree.variable(node.func))
        one_value = len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred)
        return not one_value and any(self.classes.bases[owner] & names.ENUMERATIONS for owner in owners)

    def _of_keywords(self, node: ast.Call, known: frozenset[str] | set[str] | None) -> Iterator[tuple[str, str]]:
        for one in node.keywords:
            if one.arg is None:
                yield from self._of_mapping(one.value)
            elif one.arg in names.OPTIONS_OF_STREAMS:
                yield STREAMS, one.arg
            elif one.arg in names.HELD_OPTIONS and isinstance(one.value, ast.Constant) and not one.value.value:
                continue  # `launch_pdl=False`
            elif one.arg in names.HELD_OPTIONS or (known is not None and one.arg not in known):
                yield "unlisted_option", one.arg

    def _of_mapping(self, node: ast.expr | None) -> Iterator[tuple[str, str]]:
        """Keywords from a mapping: read where they are written here, otherwise a label."""
        match node:
            case ast.Dict(keys=keys):
                for key in keys:
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        if key.value not in self.own_keywords | names.KEYWORDS:
                            yield "unlisted_option", key.value
                    else:
                        yield "computed_options", "keys that are computed"
            case ast.expr():
                yield "computed_options", ast.unparse(node)
