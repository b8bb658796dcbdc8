"""Find which parts of torch a source uses, to build it with the smallest headers: parsing torch takes most time."""

from __future__ import annotations

import re
from pathlib import Path

from evaluator.inside.hip_cpu.masking import mask

# Parts of <torch/extension.h> missing in the smaller headers (evaluator/hip/cpu/light, evaluator/hip/gfx942/core).
_WHOLE_TORCH = re.compile(
    r"\btorch\s*::\s*(?:nn|optim|autograd|jit|data|serialize|save|load)\b"
    r"|^[ \t]*#[ \t]*include[ \t]*<torch/(?:nn|optim|csrc|jit|data|serialize|autograd)\b",
    re.MULTILINE,
)
_BINDING_HEADER = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<(?:pybind11/|Python\.h)", re.MULTILINE)
_HIP = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<hip/hip_runtime\.h>", re.MULTILINE)
_TORCH = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<torch/(?:extension|torch|all)\.h>", re.MULTILINE)
_ONLY_INCLUDES = re.compile(r"(?:\s|^[ \t]*#[ \t]*include\b[^\n]*$)*", re.MULTILINE)
_OPERATOR = re.compile(r"\b(?:torch|at)\s*::\s*(\w+)\s*\(")


def needs_whole_torch(text: str) -> bool:
    """Return whether the source names a part of torch that only torch's own <torch/extension.h> has."""
    return bool(_WHOLE_TORCH.search(mask(text)))


def needs_python_headers(text: str) -> bool:
    """Return whether the source includes pybind11 or Python headers, which conflict with our replacement for them."""
    return bool(_BINDING_HEADER.search(mask(text)))


def fits_precompiled(text: str) -> bool:
    """Return whether a precompiled header of HIP and torch's core gives the source what its own includes give it.

    It includes both itself, with nothing but includes before them, and all of torch is not needed.
    """
    code = mask(text)
    hip, torch = _HIP.search(code), _TORCH.search(code)
    if hip is None or torch is None or needs_whole_torch(text) or needs_python_headers(text):
        return False
    return _ONLY_INCLUDES.fullmatch(code, 0, max(hip.start(), torch.start())) is not None


def operators_called(text: str) -> set[str]:
    """Return the names called in the namespaces torch and at; some are operators."""
    return set(_OPERATOR.findall(mask(text)))


def operator_includes(text: str, torch_include: Path) -> str:
    """Return arena_operators.h for a source: the headers of the operators that it calls as torch::name or at::name."""
    headers = [f"ATen/ops/{name}.h" for name in sorted(operators_called(text))]
    if "indexing" in text:
        headers.append("ATen/TensorIndexing.h")
    return "".join(f"#include <{header}>\n" for header in headers if (torch_include / header).exists())
