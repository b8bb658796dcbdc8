"""Replacements in triton.language while a kernel is interpreted, set for the time of a launch only.

Compilations use the same modules and must never see the replacements.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import triton.language as tl
from triton.language import core
from triton.language.extra import libdevice
from triton.language.extra.hip import libdevice as hip_libdevice
from triton.runtime.jit import JITFunction

from evaluator.inside.triton_cpu import combine, meaning, quick
from evaluator.inside.triton_cpu.builder import semantic
from evaluator.inside.triton_cpu.rewrite import MEANING
from evaluator.inside.unsupported import lacking

BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"),
    *("lt", "le", "gt", "ge", "eq", "ne"),
)
_ABSENT = object()


class Replacement(NamedTuple):
    """`value` replaces `name` in `place`, a module or class, while a kernel is interpreted."""

    place: Any
    name: str
    value: Any


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """Make functions of triton.language compute with NumPy arrays in this context."""
    try:
        for (place, name, value), _ in _replacements():
            setattr(place, name, value)
        yield
    finally:
        for (place, name, _), original in _replacements():
            if original is _ABSENT:
                delattr(place, name)
            else:
                setattr(place, name, original)


def names_for(scope: Mapping[str, Any]) -> dict[str, Any]:
    """Return the global names of a kernel with replaced values: also builtins, and functions imported by name."""
    names = {name: meaning_of(value) for name, value in scope.items()}
    for name, value in _builtins().items():
        names.setdefault(name, value)
    names[MEANING] = meaning
    return names


def meaning_of(value: Any) -> Any:
    """Return the replacement of a value: of a constexpr its value, of most objects themselves."""
    if isinstance(value, tl.constexpr):
        return value.value
    return _by_identity().get(id(value), value)


@functools.cache
def _by_identity() -> dict[int, Any]:
    """Map ids of functions and classes that a module may have imported to their replacements."""
    return {id(original): new.value for new, original in _replacements() if inspect.ismodule(new.place)}


@functools.cache
def _builtins() -> dict[str, Any]:
    """Return replacements of Python builtins, as in the compiler's own table."""
    return {
        "range": meaning.loop_range,
        "min": _bound(core.builtin_min),
        "max": _bound(core.builtin_max),
        "print": _bound(core.device_print),
    }


@functools.cache
def _replacements() -> list[tuple[Replacement, Any]]:
    """Return all replacements, each with the original value; computed once, before any is set."""
    replacements = [*_of_builtins(), *_of_language(), *_of_tensors(), *_of_constexpr(), *_of_types(), *_of_libdevice()]
    return [(new, vars(new.place).get(new.name, _ABSENT)) for new in replacements]


def _of_builtins() -> Iterable[Replacement]:
    for place in (tl, core, tl.math, core.tensor, core.tensor_descriptor_base, hip_libdevice):
        for name, member in vars(place).items():
            if core.is_builtin(member) and name not in LANGUAGE:
                yield Replacement(place, name, _bound(member))


def _of_language() -> Iterable[Replacement]:
    for place in (tl, core):
        for name, value in LANGUAGE.items():
            yield Replacement(place, name, value)


def _bound(member: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the language bound to the interpreter's type rules."""
    function = getattr(member, "__wrapped__", member)

    def call(*arguments: Any, **options: Any) -> Any:
        options["_semantic"] = semantic
        return function(*arguments, **options)

    return call


def _of_tensors() -> Iterable[Replacement]:
    methods = [(name, value) for name, value in vars(core.tensor).items() if isinstance(value, JITFunction)]
    yield from (Replacement(core.tensor, name, _method(function)) for name, function in methods)
    for name, member in vars(core.tensor).items():  # `x.exp()`: the compiler gives any method its type rules
        is_other = inspect.isfunction(member) and not core.is_builtin(member)
        if is_other and "_semantic" in inspect.signature(member).parameters:
            yield Replacement(core.tensor, name, _bound(member))
    yield Replacement(core.tensor, "__bool__", lambda self: self.type.is_block() or bool(self.handle.data.item()))
    yield Replacement(core.tensor, "__index__", lambda self: int(self.handle.data.item()))
    yield Replacement(core.tensor, "__str__", lambda self: str(self.handle.data))
    yield Replacement(core.tensor, "__repr__", lambda self: repr(self.handle.data))
    yield Replacement(core.tensor, "T", property(_transposed))


def _method(function: Any) -> Callable[..., Any]:
    return lambda self, *arguments, **options: function(self, *arguments, **options)


def _transposed(tensor: Any) -> Any:
    *outer, rows, columns = range(len(tensor.shape))
    return semantic.permute(tensor, (*outer, columns, rows))


def _of_constexpr() -> Iterable[Replacement]:
    """Yield operators of constexpr that leave `x.shape[0] * tensor` to the tensor."""
    for name in (f"__{operation}__" for operation in BINARY):
        yield Replacement(core.constexpr, name, _unless_tensor(getattr(core.constexpr, name)))


def _unless_tensor(operation: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: NotImplemented if isinstance(other, core.tensor) else operation(self, other)


def _of_types() -> Iterable[Replacement]:
    """Yield replacements of type conversions: the interpreter uses types as they are."""
    yield Replacement(core.tensor, "__init__", quick.init_tensor)
    yield Replacement(core.block_type, "__init__", quick.init_block_type)
    yield Replacement(core.block_type, "with_element_ty", quick.with_element_ty)
    yield Replacement(core, "_unwrap_if_constexpr", quick.unwrap_if_constexpr)
    for place in (core.dtype, core.pointer_type, core.block_type):
        yield Replacement(place, "to_ir", lambda self, builder: self)


def _of_libdevice() -> Iterable[Replacement]:
    """Yield replacements of libdevice's portable stubs by AMD's functions of the same name, as the compiler does."""
    for name, stub in vars(libdevice).items():
        if inspect.isfunction(stub):
            known = vars(hip_libdevice).get(name)
            yield Replacement(
                libdevice, name, _bound(known) if known else lacking(f"libdevice.{name}, which gfx942 does not have")
            )


def _static_assert(condition: Any, message: Any = "", **options: object) -> None:
    if not meaning.truth(condition):
        raise AssertionError(f"static_assert failed: {message}")


def _unchanged(value: Any, *hints: object, **options: object) -> Any:
    return value


LANGUAGE = {
    "range": meaning.loop_range,
    "static_range": meaning.static_range,
    "static_assert": _static_assert,
    "static_print": lambda *values, **options: None,
    "multiple_of": _unchanged,
    "max_contiguous": _unchanged,
    "max_constancy": _unchanged,
    "condition": _unchanged,  # of a `while`: a class, whose objects would all be true
    "reduce": combine.reduce,
    "associative_scan": combine.associative_scan,
    "map_elementwise": combine.map_elementwise,
    "dot_scaled": lacking("Triton operation dot_scaled"),
}
