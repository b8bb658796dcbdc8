"""The Python files of an operator: module, references, and candidates with one Triton kernel."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from scripts.families.layout import WIDTH, indented
from scripts.families.pointwise.operator import Operator

HEAD = '"""{says}"""\n\nfrom __future__ import annotations\n\n'


def module(operator: Operator, says: str) -> str:
    body = indented(operator.text("baseline"))
    return f"{HEAD.format(says=says)}import torch\n\n\n{operator.signature}\n{body}\n"


def reference(operator: Operator, says: str, code: str) -> str:
    """A reference. The last line of the code is the value of the output, or a tuple with a value for each."""
    *before, last = code.strip().splitlines()
    values = [last] if len(operator.outputs) == 1 else _items(last)
    outputs = ", ".join(f'"{name}": {value}' for name, value in zip(operator.outputs, values, strict=True))
    body = "\n".join(_with_inputs(operator, [*before, f"return {{{outputs}}}"], code))
    used = [f"import {name}\n" for name in ("math", "torch") if f"{name}." in body]
    imports = "\n".join(used) + "\n\n" if used else "\n"
    return f"{HEAD.format(says=says)}{imports}def reference(inputs):\n{indented(body)}\n"


def candidate(operator: Operator, says: str, body: str) -> str:
    """A Triton candidate whose kernel has these statements between loads and stores."""
    imports = "import torch\nimport triton\nimport triton.language as tl\n"
    imports += "from triton.language.extra import libdevice\n" if "libdevice." in body else ""
    kernel, launcher = "\n".join(_kernel(operator, body)), "\n".join(_launcher(operator))
    return f"{HEAD.format(says=says)}{imports}\n\n{kernel}\n\n\n{launcher}\n"


def _with_inputs(operator: Operator, lines: list[str], code: str) -> list[str]:
    """The lines with each input taken from the dict: in place where it is read once, else in a line before."""
    uses = {item.name: len(re.findall(rf"\b{item.name}\b", code)) for item in operator.arguments}
    used = [name for name, count in uses.items() if count]
    if len(lines) == 1 and max(uses.values()) == 1:
        for name in used:
            lines = [re.sub(rf"(?<!\")\b{name}\b(?!\")", f'inputs["{name}"]', line) for line in lines]
        return [line.replace('"]**', '"] ** ') for line in lines]
    taken = ", ".join(f'inputs["{name}"]' for name in used)
    return [f"{', '.join(used)} = {taken}", *lines]


def _items(line: str) -> list[str]:
    """The sources of a tuple's items."""
    node = ast.parse(line, mode="eval").body
    assert isinstance(node, ast.Tuple), line
    return [ast.get_source_segment(line, item) or "" for item in node.elts]


def _kernel(operator: Operator, body: str) -> Iterator[str]:
    parameters = [f"{name}_ptr" for name in (*(item.name for item in operator.tensors), *operator.outputs)]
    parameters += ["count", *(["cols"] if _is_broadcast(operator) else [])]
    parameters += [item.name for item in operator.arguments if not item.is_tensor and not item.is_flag]
    parameters += [f"{item.name.upper()}: tl.constexpr" for item in operator.arguments if item.is_flag]
    yield "@triton.jit"
    yield f"def {operator.name}_kernel({', '.join(parameters)}, BLOCK: tl.constexpr):"
    yield "    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)"
    yield "    inside = offsets < count"
    for item in operator.tensors:
        widened = ".to(tl.float32)" if operator.has_sixteen_bits and "dtype" not in item.given else ""
        yield f"    {item.name} = tl.load({item.name}_ptr + {item.place}, mask=inside){widened}"
    yield indented(body)
    for name, given in operator.outputs.items():
        narrowed = f".to({name}_ptr.dtype.element_ty)" if operator.has_sixteen_bits and "dtype" not in given else ""
        yield f"    tl.store({name}_ptr + offsets, {name}{narrowed}, mask=inside)"


def _launcher(operator: Operator) -> Iterator[str]:
    names = [item.name for item in operator.tensors]
    whole = next(item.name for item in operator.tensors if item.place == "offsets")
    dtypes = [f", dtype=torch.{given['dtype']}" if "dtype" in given else "" for given in operator.outputs.values()]
    yield operator.signature
    yield f"    {', '.join(names)} = {', '.join(f'{name}.contiguous()' for name in names)}"
    yield f"    {', '.join(operator.outputs)} = {', '.join(f'torch.empty_like({whole}{dtype})' for dtype in dtypes)}"
    given = [*names, *operator.outputs, f"{whole}.numel()"]
    given += [f"{whole}.shape[1]"] if _is_broadcast(operator) else []
    given += [item.name for item in operator.arguments if not item.is_tensor and not item.is_flag]
    given += [f"{item.name.upper()}=bool({item.name})" for item in operator.arguments if item.is_flag]
    launch, arguments = f"    {operator.name}_kernel[(triton.cdiv({whole}.numel(), 1024),)]", ", ".join(given)
    line = f"{launch}({arguments}, BLOCK=1024)"
    yield line if len(line) <= WIDTH else f"{launch}(\n        {arguments}, BLOCK=1024\n    )"
    yield f"    return {', '.join(operator.outputs)}"


def _is_broadcast(operator: Operator) -> bool:
    return any(item.place != "offsets" for item in operator.tensors)
