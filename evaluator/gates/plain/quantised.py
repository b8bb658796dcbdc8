"""Whether a Triton source shows that it computes in the quantised form that its task asks for.

`int8_dot`: each operand of every `tl.dot` is cast to int8 where it is used or assigned, `b.to(tl.int8)`. Of a block
that is int8 already the cast does nothing, and of any other it makes one, so no type has to be known. A product that is
summed up without `tl.dot` is one of integers.

`int4_weights`: an operand of every `tl.dot`, or what a kernel sums where it has none, is made of half bytes: of
`packed & 15`, `packed >> 4`, `packed % 16` or `packed // 16`, or by a function of the source that does this.

Both: no product by a library and none that cannot be read here. A source may show a form and compute otherwise beside
it; what its numbers then show is in `judge/quantization.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from evaluator.gates.plain.found import SourceFinding
from evaluator.gates.plain.python_operators import words
from evaluator.gates.plain.python_tree import PythonTree, PythonVariable

RULE = "not_quantised"
PRODUCTS = words("""
    addbmm addmm addmv baddbmm bmm chain_matmul conv1d conv2d conv3d dot einsum inner linear matmul mm mv tensordot
    scaled_dot_product_attention vdot vecdot _int_mm _scaled_mm
""")
OPAQUE = frozenset({"triton.language.dot_scaled", "triton.language.inline_asm_elementwise"})
SUMS = ("sum", "cumsum", "reduce", "associative_scan")
SAME_NUMBERS = ("trans", "permute", "reshape", "view", "broadcast_to", "expand_dims")
HALF_BYTE = ((ast.BitAnd, 15), (ast.RShift, 4), (ast.Mod, 16), (ast.FloorDiv, 16))
MOST_STEPS = 200  # from a use back to what it is made of


def missing_forms(data: bytes, requirements: Sequence[str]) -> Iterator[SourceFinding]:
    """Yield a finding for each place that does not show the required forms, and for a form that is nowhere.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: Python cannot parse the source.
    """
    form = _Forms(PythonTree(data))
    yield from form.products()
    if "int8_dot" in requirements:
        yield from form.without_int8()
    if "int4_weights" in requirements:
        yield from form.without_half_bytes()


class _Forms:
    def __init__(self, tree: PythonTree) -> None:
        self.tree = tree
        self.calls = [node for node in tree.nodes if isinstance(node, ast.Call)]
        self.dots = [node for node in self.calls if self._is(node.func, "triton.language.dot")]
        self.sums = [node for node in self.calls if self._is_sum(node)]

    def products(self) -> Iterator[SourceFinding]:
        """Products by a library, and operations that hide what they multiply."""
        of_dots = {dot.func for dot in self.dots}
        for node in self.tree.nodes:
            for name in self._product_names(node) if node not in of_dots else ():
                yield SourceFinding(getattr(node, "lineno", 1), RULE, f"{name} may multiply anything")

    def _product_names(self, node: ast.AST) -> Iterator[str]:
        match node:
            case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult()):
                yield "@"
            case ast.Attribute(attr=name) if name in PRODUCTS or self.tree.dotted(node) & OPAQUE:
                yield f".{name}"
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str() as name), *_]):
                yield from [f".{name}"] if name in PRODUCTS else []
            case ast.ImportFrom(module=module, names=aliases) if module != "triton.language":
                yield from (one.name for one in aliases if one.name in PRODUCTS)

    def without_int8(self) -> Iterator[SourceFinding]:
        for dot in self.dots:
            for operand in _operands(dot):
                if not self._is_cast(operand, ("int8",)):
                    yield SourceFinding(dot.lineno, RULE, f"tl.dot of {ast.unparse(operand)}, not cast to tl.int8")
        for call in self.sums:
            summed = self._summed(call)
            if self._is_product(summed) and not self._is_cast(summed, ("int8", "int32")):
                yield SourceFinding(call.lineno, RULE, f"a sum of {ast.unparse(summed)}, not cast to tl.int32")
        if not self.dots:
            yield SourceFinding(1, RULE, "no tl.dot")

    def without_half_bytes(self) -> Iterator[SourceFinding]:
        for dot in self.dots:
            if not any(self._has_half_bytes(operand) for operand in _operands(dot)):
                yield SourceFinding(dot.lineno, RULE, "tl.dot without weights that are unpacked from half bytes")
        if not self.dots and not any(self._has_half_bytes(self._summed(call)) for call in self.sums):
            yield SourceFinding(1, RULE, "no product of weights that are unpacked from half bytes")

    def _is(self, node: ast.AST, *names: str) -> bool:
        dotted = self.tree.dotted(node)
        return bool(dotted) and dotted <= set(names)

    def _is_sum(self, call: ast.Call) -> bool:
        """Whether a call adds up: `tl.sum(x)`, or `x.sum()` of anything that is no module."""
        return isinstance(call.func, ast.Attribute) and call.func.attr in SUMS and self._is_of_kernel(call)

    def _is_of_kernel(self, call: ast.Call) -> bool:
        function = self.tree.function_of(call)
        decorators = function.decorator_list if isinstance(function, ast.FunctionDef) else []
        called = [one.func if isinstance(one, ast.Call) else one for one in decorators]
        return any(self._is(one, "triton.jit", "triton.runtime.jit") for one in called)

    def _is_cast(self, node: ast.AST, types: tuple[str, ...]) -> bool:
        """Whether a value is cast to one of the types, or has only the numbers of such values in another order."""
        names = [f"triton.language.{one}" for one in types]

        def holds(value: ast.AST, again: Callable[[ast.AST], bool]) -> bool:
            match value:
                case ast.Call() if (kind := self._cast_to(value)) is not None:
                    return self._is_type(kind, names)
                case ast.Call(func=function, args=[_, one, other]) if self._is(function, "triton.language.where"):
                    return again(one) and again(other)
                case ast.Call(func=ast.Name() as function) if results := self._results(function):
                    return all(again(one) for one in results)
                case ast.Call(func=ast.Attribute(attr=name, value=owner), args=arguments) if name in SAME_NUMBERS:
                    return again(arguments[0] if self._is(owner, "triton.language") and arguments else owner)
                case ast.Attribute(attr="T", value=owner):
                    return again(owner)
                case ast.BinOp(op=ast.Mult(), left=left, right=right):
                    return again(left) and again(right)
                case ast.Name():
                    made = self._made_of(self.tree.variable(value))
                    return bool(made) and all(again(one) for one in made)
            return False

        return _follow(node, holds)

    def _cast_to(self, call: ast.Call) -> ast.AST | None:
        """The type that `x.to(t)`, `x.cast(t)` or `tl.cast(x, t)` casts to; None of anything else, and of bits."""
        if not (isinstance(call.func, ast.Attribute) and call.func.attr in ("to", "cast")):
            return None
        given = {one.arg: one.value for one in call.keywords}
        positional = call.args[1 if self._is(call.func, "triton.language.cast") and "input" not in given else 0 :]
        kind = positional[0] if positional else given.get("dtype")
        bits = positional[2] if len(positional) > 2 else given.get("bitcast")
        is_number = bits is None or (isinstance(bits, ast.Constant) and bits.value is False)
        return kind if is_number and None not in given else None

    def _is_type(self, kind: ast.AST, names: Sequence[str]) -> bool:
        """Whether a type is one of these, by its own name or a constant's: `I8 = tl.constexpr(tl.int8)`."""
        made = self._made_of(self.tree.variable(kind))
        if made:
            return all(self._is(_constant(one), *names) for one in made)
        return self._is(kind, *names)

    def _results(self, name: ast.Name) -> list[ast.AST]:
        """What a function of the source returns, where the name is nothing else."""
        variable = self.tree.variable(name)
        if variable is None or len(variable.functions) != len(variable.bindings):
            return []
        inside = set(variable.functions)
        returns = [node for node in self.tree.nodes if isinstance(node, ast.Return)]
        return [one.value or one for one in returns if self.tree.function_of(one) in inside]

    def _is_product(self, node: ast.AST) -> bool:
        """Whether a value is a product of two others, and no function of one."""

        def holds(value: ast.AST, again: Callable[[ast.AST], bool]) -> bool:
            match value:
                case ast.BinOp(op=ast.Mult()):
                    return True
                case ast.Call(func=ast.Attribute(attr="to", value=owner)):
                    return again(owner)
            return any(again(one) for one in self._made_of(self.tree.variable(value)))

        return _follow(node, holds)

    def _has_half_bytes(self, node: ast.AST) -> bool:
        """Whether half bytes are anywhere in what a value is made of."""

        def holds(value: ast.AST, again: Callable[[ast.AST], bool]) -> bool:
            return any(self._is_half_byte(part) or self._unpacks(part, again) for part in self._parts(value))

        return _follow(node, holds)

    def _unpacks(self, part: ast.AST, again: Callable[[ast.AST], bool]) -> bool:
        variable = self.tree.variable(part)
        if variable is None:
            return False
        bodies = [one for function in variable.functions for one in function.body]
        return any(again(one) for one in [*bodies, *self._made_of(variable)])

    def _parts(self, node: ast.AST) -> Iterator[ast.AST]:
        """A node and all below it but the addresses of what is loaded."""
        stack = [node]
        while stack:
            part = stack.pop()
            yield part
            if not (isinstance(part, ast.Call) and self._is(part.func, "triton.language.load")):
                stack += ast.iter_child_nodes(part)

    def _is_half_byte(self, node: ast.AST) -> bool:
        match node:
            case ast.BinOp(op=operator, left=left, right=right):
                pairs = [(left, right), (right, left)] if isinstance(operator, ast.BitAnd) else [(left, right)]
                return any(
                    isinstance(operator, kind) and self._number(mask) == wanted and not self._is_position(of)
                    for of, mask in pairs
                    for kind, wanted in HALF_BYTE
                )
        return False

    def _number(self, node: ast.AST) -> object:
        """The value of a number, or of a name that is assigned one: `MASK: tl.constexpr = 15`."""
        made = {getattr(_constant(one), "value", None) for one in self._made_of(self.tree.variable(node)) or [node]}
        return made.pop() if len(made) == 1 else None

    def _is_position(self, node: ast.AST) -> bool:
        """Whether a value is made of positions alone, `tl.arange` and `tl.program_id`, and of nothing loaded."""

        def holds(value: ast.AST, again: Callable[[ast.AST], bool]) -> bool:
            match value:
                case ast.Call(func=function):
                    return self._is(function, "triton.language.arange", "triton.language.program_id")
                case ast.BinOp(left=left, right=right):
                    return (again(left) or isinstance(left, ast.Constant)) and (
                        again(right) or isinstance(right, ast.Constant)
                    )
                case ast.Subscript(value=owner):
                    return again(owner)
            made = self._made_of(self.tree.variable(value))
            return bool(made) and all(again(one) for one in made)

        return _follow(node, holds)

    def _summed(self, call: ast.Call) -> ast.AST:
        """What is added up: the first argument of `tl.sum`, or what `x.sum` is a method of."""
        assert isinstance(call.func, ast.Attribute)
        is_function = self._is(call.func.value, "triton.language") and call.args
        return call.args[0] if is_function else call.func.value

    def _made_of(self, variable: PythonVariable | None) -> list[ast.AST]:
        """What a variable is assigned, once for each binding; nothing where a binding is no assignment."""
        found = list[ast.AST]()
        for one in variable.bindings if variable is not None else ():
            value = one.value or self._unpacked(one.node)
            if value is None:
                return []
            found.append(value)
        return found

    def _unpacked(self, node: ast.AST) -> ast.AST | None:
        """What `a` is assigned a part of in `a, b = value`, or what is added in `a += value`."""
        parent = self.tree.parent.get(node)
        if isinstance(parent, ast.Tuple):
            parent = self.tree.parent.get(parent)
        return parent.value if isinstance(parent, ast.Assign | ast.AugAssign) else None


def _follow(node: ast.AST, holds: Callable[[ast.AST, Callable[[ast.AST], bool]], bool]) -> bool:
    """Ask `holds` of a node; it may ask again of what the node is made of, which is not followed around or for ever."""
    known = dict[ast.AST, bool]()

    def again(value: ast.AST) -> bool:
        if value not in known and len(known) < MOST_STEPS:
            known[value] = False  # while it is being asked for
            known[value] = holds(value, again)
        return known.get(value, False)

    return again(node)


def _constant(value: ast.AST) -> ast.AST:
    """What a constant holds: `tl.constexpr(x)` is x."""
    match value:
        case ast.Call(func=ast.Attribute(attr="constexpr") | ast.Name(id="constexpr"), args=[inner]):
            return inner
    return value


def _operands(dot: ast.Call) -> list[ast.AST]:
    """The two matrices of a `tl.dot`; the call itself where they cannot be told."""
    named = {one.arg: one.value for one in dot.keywords}
    found = [*dot.args[:2], *(named[name] for name in ("input", "other") if name in named)]
    return [dot] if len(found) != 2 or any(isinstance(one, ast.Starred) for one in found) else [*found]
