"""Tell the fiber runtime what the compiler knows of kernels and of memory on the device.

The headers annotate kernels, their launch bounds and variables on the device (evaluator/hip/cpu/hipcpu/qualifiers.h).
In LLVM's text these annotations stand beside the functions that they are about, whatever macro or template made them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

MAX_THREADS = 1024  # of a block, where nothing bounds it
KERNEL, BOUNDS, ON_DEVICE = "hipcpu_kernel", "hipcpu_bounds", "hipcpu_device"  # annotations
LDS = 'section "hipcpu_shared"'

_NAME = r'@(?:[\w.$-]+|"[^"\n]*")'
_GLOBAL = re.compile(rf"^({_NAME}) = (.*)$", re.MULTILINE)
_FUNCTION = re.compile(rf"^define [^\n]*?({_NAME})\([^\n]*\{{\n(.*?)^\}}$", re.MULTILINE | re.DOTALL)
_REFERENCE = re.compile(_NAME)
_STORAGE = re.compile(r"^(?!external |extern_weak )(?:[\w()]+ )*?(?:global|constant) (.*)$")
_ANNOTATION = re.compile(rf"\{{ ptr ({_NAME}), ptr ({_NAME}), ptr {_NAME}, i32 \d+, ptr ({_NAME}|null) \}}")
_TEXT = re.compile(r'c"([^"\\]*)\\00"')
_FIRST_NUMBER = re.compile(r"\} \{ i\d+ (\d+)")
_CLONE = re.compile(r"\.specialized\.\d+$")  # of a function, made for constant arguments
_ESCAPE = re.compile(r"\\[0-9A-F]{2}")
_TYPE_PART = re.compile(r'%"[^"]*"|.')  # a quoted name may have spaces and brackets
_CLOSING = {"[": "]", "{": "}", "<": ">"}


def add_runtime_facts(ir: str) -> str:
    """Return the module with a table of its kernels, one of its variables on the device, and a call of the runtime
    where each kernel begins.
    """
    module = _Module(ir)
    kernels = list(module.kernels())
    for number, kernel in reversed(list(enumerate(kernels))):
        ir = f"{ir[: kernel.begin]}  call void @hipcpu_enter(ptr @hipcpu_kernel.{number})\n{ir[kernel.begin :]}"
    return "\n".join([ir, *_kernel_table(kernels), *_variable_table(module), "declare void @hipcpu_enter(ptr)", ""])


class _Kernel(NamedTuple):
    name: str
    begin: int  # where its body begins in the text
    max_threads: int
    static_lds: list[str]  # sizes, as constant expressions


class _Function(NamedTuple):
    name: str
    begin: int
    body: str


@dataclass
class _Module:
    """A module's text: functions, global variables with what they are, and annotations."""

    text: str
    functions: dict[str, _Function] = field(init=False)
    variables: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        found = (_Function(match[1], match.start(2), match[2]) for match in _FUNCTION.finditer(self.text))
        self.functions = {function.name: function for function in found}
        self.variables = dict(_GLOBAL.findall(self.text))

    def kernels(self) -> Iterator[_Kernel]:
        """Yield the kernels in the order of the text."""
        bounds = self._bounds()
        annotated = {name for name, kind, _ in self._annotations() if kind == KERNEL}
        for function in sorted(self.functions.values(), key=lambda function: function.begin):
            if (name := _CLONE.sub("", function.name)) in annotated:
                lds = [_size(self.variables[one]) for one in sorted(self._lds_of(function))]
                yield _Kernel(function.name, function.begin, bounds.get(name, MAX_THREADS), lds)

    def on_device(self) -> Iterator[str]:
        """Yield the names of variables that kernels may read by an address."""
        names = dict.fromkeys(name for name, kind, _ in self._annotations() if kind == ON_DEVICE)
        yield from (name for name in names if _STORAGE.match(self.variables.get(name, "")))

    def _bounds(self) -> Mapping[str, int]:
        bounds: dict[str, int] = {}
        for name, kind, arguments in self._annotations():
            if kind == BOUNDS and (number := _FIRST_NUMBER.search(self.variables.get(arguments, ""))):
                bounds[name] = min(int(number[1]), bounds.get(name, MAX_THREADS))
        return bounds

    def _annotations(self) -> Iterator[tuple[str, str, str]]:
        """Yield what each annotation is about, its text, and the name of its arguments."""
        for name, text, arguments in _ANNOTATION.findall(self.variables.get("@llvm.global.annotations", "")):
            found = _TEXT.search(self.variables.get(text, ""))
            yield name, found[1] if found else "", arguments

    def _lds_of(self, function: _Function) -> set[str]:
        """Return the shared variables that it uses, or any function that it refers to."""
        reached, waiting = {function.name}, [function.name]
        while waiting:
            name = waiting.pop()
            text = self.functions[name].body if name in self.functions else self.variables.get(name, "")
            new = set(_REFERENCE.findall(text)) - reached
            reached |= new
            waiting += new
        return {name for name in reached if LDS in self.variables.get(name, "")}


def _kernel_table(kernels: list[_Kernel]) -> Iterator[str]:
    for number, kernel in enumerate(kernels):
        symbol = kernel.name.removeprefix("@").strip('"')
        length = len(_ESCAPE.sub("x", symbol)) + 1
        lds = "0"
        for size in kernel.static_lds:
            lds = size if lds == "0" else f"add (i64 {lds}, i64 {size})"
        yield f'@hipcpu_symbol.{number} = internal constant [{length} x i8] c"{symbol}\\00"'
        yield (
            f"@hipcpu_kernel.{number} = internal constant {{ ptr, i64, i64, ptr }} "
            f"{{ ptr {kernel.name}, i64 {kernel.max_threads}, i64 {lds}, ptr @hipcpu_symbol.{number} }}"
        )
    items = ", ".join(f"ptr @hipcpu_kernel.{number}" for number in range(len(kernels)))
    yield f"@hipcpu_kernels = hidden constant [{len(kernels)} x ptr] [{items}]"
    yield f"@hipcpu_kernel_count = hidden constant i64 {len(kernels)}"


def _variable_table(module: _Module) -> Iterator[str]:
    names = list(module.on_device())
    items = ", ".join(f"{{ ptr, i64 }} {{ ptr {name}, i64 {_size(module.variables[name])} }}" for name in names)
    yield f"@hipcpu_variables = hidden constant [{len(names)} x {{ ptr, i64 }}] [{items}]"
    yield f"@hipcpu_variable_count = hidden constant i64 {len(names)}"


def _size(variable: str) -> str:
    """Return its size in bytes, as a constant expression: the compiler knows the layout of its type."""
    found = _STORAGE.match(variable)
    assert found is not None
    return f"ptrtoint (ptr getelementptr ({_leading_type(found[1])}, ptr null, i32 1) to i64)"


def _leading_type(text: str) -> str:
    """Return the type that the text begins with, e.g. `[4 x %struct.A]`."""
    expected: list[str] = []
    for part in _TYPE_PART.finditer(text):
        if part.group() in _CLOSING:
            expected.append(_CLOSING[part.group()])
        elif expected and part.group() == expected[-1]:
            expected.pop()
        if not expected and text[part.end() : part.end() + 1] in ("", " ", ","):
            return text[: part.end()]
    return text
