"""Arithmetic expressions over axes, for shapes, couplings, bytes and flops in a task's config.yaml.

The text is parsed with Python's grammar, and only the nodes named here are allowed; nothing is evaluated as code.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Number = int | float
MAX_LENGTH = 400
MAX_BITS = 256  # of an intermediate integer: enough for any count of bytes, too little to hang the machine

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: lambda base, exponent: _power(base, exponent),
}
_COMPARE: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.LtE: operator.le,
    ast.Lt: operator.lt,
    ast.GtE: operator.ge,
    ast.Gt: operator.gt,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "min": min,
    "max": max,
    "ceil": math.ceil,
    "log2": math.log2,
    "sqrt": math.sqrt,
    "cdiv": lambda a, b: -(-a // b),
}


class ExpressionError(ValueError):
    """The text is not a valid expression, or it has no value for these axes."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression; `names` are the axes it reads. Equal texts are equal expressions."""

    text: str
    names: frozenset[str] = field(compare=False)
    _node: ast.expr = field(compare=False, repr=False)

    def value(self, axes: Mapping[str, Number]) -> Number:
        """The number for these axes.

        Raises:
            ExpressionError: an axis is missing, the result is too large, or the arithmetic has no result.
        """
        try:
            return _evaluate(self._node, axes)
        except (ArithmeticError, ValueError, TypeError) as error:
            raise ExpressionError(f"{self.text!r} has no value for {dict(axes)}: {error}") from error

    def holds(self, axes: Mapping[str, Number]) -> bool:
        """Whether a comparison, such as a coupling, is true for these axes."""
        return bool(self.value(axes))


def parse(text: str | Number) -> Expression:
    """Parse one expression.

    Raises:
        ExpressionError: with what was seen and what is allowed.
    """
    source = str(text)
    if len(source) > MAX_LENGTH:
        raise ExpressionError(f"an expression of {len(source)} characters; at most {MAX_LENGTH} are allowed")
    try:
        node = ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"{source!r} is not an arithmetic expression: {error}") from error
    return Expression(source, frozenset(_names(node, source)), node)


def _names(node: ast.expr, source: str) -> set[str]:
    """The axes that the expression reads, after checking that every node is allowed."""
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return set()
        case ast.Name(id=name):
            return {name}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _names(operand, source)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _names(left, source) | _names(right, source)
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARE for op in ops):
            return set().union(_names(left, source), *(_names(other, source) for other in others))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS and arguments:
            return set().union(*(_names(argument, source) for argument in arguments))
    allowed = f"numbers, axes, + - * / // % **, comparisons and {', '.join(sorted(_FUNCTIONS))}"
    raise ExpressionError(f"{source!r} holds {ast.unparse(node)!r}; allowed are {allowed}")


def _evaluate(node: ast.expr, axes: Mapping[str, Number]) -> Number:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            if name not in axes:
                raise ExpressionError(f"no axis is named {name!r}; the axes are {', '.join(sorted(axes)) or 'none'}")
            return axes[name]
        case ast.UnaryOp(operand=operand):
            return -_evaluate(operand, axes)
        case ast.BinOp(left=left, op=op, right=right):
            return _bounded(_BINARY[type(op)](_evaluate(left, axes), _evaluate(right, axes)))
        case ast.Compare(left=left, ops=ops, comparators=others):
            values = [_evaluate(left, axes), *(_evaluate(other, axes) for other in others)]
            return all(_COMPARE[type(op)](a, b) for op, a, b in zip(ops, values, values[1:], strict=False))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _FUNCTIONS[name](*(_evaluate(argument, axes) for argument in arguments))
    raise ExpressionError(f"cannot evaluate {ast.unparse(node)!r}")


def _power(base: Number, exponent: Number) -> Number:
    if abs(exponent) > 64 or (isinstance(base, int) and base.bit_length() * abs(exponent) > MAX_BITS):
        raise ArithmeticError("the power is too large")
    value: Number = base**exponent
    return value


def _bounded(value: Number) -> Number:
    if isinstance(value, complex) or (isinstance(value, int) and value.bit_length() > MAX_BITS):
        raise ArithmeticError("the number is too large")
    return value
