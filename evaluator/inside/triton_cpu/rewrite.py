"""Rewrite the source of a kernel to Python with the meaning that it has for Triton's compiler.

The compiler reads some things differently: an assigned number becomes a scalar tensor (so that `//` truncates and
32 bits wrap), `and`, `or` and `not` act on blocks lane by lane, a block has no truth value, `assert` is a device
assertion, and a list is a tuple.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping
from typing import Any

MEANING = "__triton_meaning__"  # the name under which rewritten code finds evaluator/inside/triton_cpu/meaning.py


def compile_body(function: Any) -> types.CodeType:
    """Return the rewritten code of a JIT function, with its free variables as globals."""
    tree = ast.parse(function.src)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    _strip_signature(definition)
    tree = ast.fix_missing_locations(_Rewriter().visit(tree))
    first_line = function.starting_line_number + _lines_before_def(function)
    ast.increment_lineno(tree, first_line - 1)
    module = compile(tree, function.fn.__code__.co_filename, "exec", dont_inherit=True)
    return next(value for value in module.co_consts if isinstance(value, types.CodeType))


def bind_body(
    code: types.CodeType, function: Any, names: Mapping[str, Any], value_of: Callable[[Any], Any]
) -> types.FunctionType:
    """Return a function of the code with `names` as globals, and the original's defaults passed through `value_of`."""
    bound = types.FunctionType(code, dict(names), function.__name__, None)
    bound.__defaults__ = tuple(map(value_of, function.fn.__defaults__ or ()))
    bound.__kwdefaults__ = {name: value_of(value) for name, value in (function.fn.__kwdefaults__ or {}).items()}
    return bound


def _strip_signature(definition: ast.FunctionDef) -> None:
    """Remove annotations and defaults, whose names may not exist here."""
    arguments = definition.args
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        argument.annotation = None
    arguments.defaults, arguments.kw_defaults = [], [None for _ in arguments.kwonlyargs]
    definition.returns, definition.decorator_list = None, []


def _lines_before_def(function: Any) -> int:
    """Count the lines of decorators and comments before the `def`."""
    for number, line in enumerate(function.raw_src):
        if line.lstrip().startswith("def "):
            return number
    return 0


class _Rewriter(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        node.value = _call("assigned", self.visit(node.value))
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Keep a local constexpr as a Python value; ignore other annotations."""
        if node.value is None:
            return ast.Pass()
        value = self.visit(node.value)
        if not ast.unparse(node.annotation).endswith("constexpr"):
            value = _call("assigned", value)
        return ast.Assign(targets=[node.target], value=value)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        assert isinstance(node.target, ast.Name | ast.Attribute | ast.Subscript)
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        return self.visit_Assign(ast.Assign(targets=[node.target], value=ast.BinOp(read, node.op, node.value)))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        operands = [_lambda(self.visit(value)) for value in node.values]
        return _call("conjunction" if isinstance(node.op, ast.And) else "disjunction", *operands)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        node.operand = self.visit(node.operand)
        return _call("negation", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        message = self.visit(node.msg) if node.msg else ast.Constant("")
        return ast.Expr(_call("device_assert", self.visit(node.test), message))

    def visit_List(self, node: ast.List) -> ast.AST:
        self.generic_visit(node)
        return ast.Tuple(node.elts, node.ctx)

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._with_truth(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._with_truth(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._with_truth(node)

    def _with_truth(self, node: ast.If | ast.While | ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.test = _call("truth", node.test)
        return node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    function = ast.Attribute(ast.Name(MEANING, ast.Load()), name, ast.Load())
    return ast.Call(function, list(arguments), [])


def _lambda(body: ast.expr) -> ast.Lambda:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, body)
