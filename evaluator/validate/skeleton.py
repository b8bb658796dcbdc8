"""The skeleton of a new task: a folder in the right format that does nothing yet, with TODOs that `validate` lists."""

from __future__ import annotations

import re
from pathlib import Path

from evaluator.errors import UsageError
from evaluator.tasks.spec import CATEGORIES
from evaluator.validate.folder import variants_of

SOURCE = "arena"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
TAKEN = ("reference", "inputs")  # names of the judge's files

CONFIG = """\
task_type: {category}
source_file_path: [{source}]
target_kernel_functions: [{kernel}]
arena:
  version: 1
  entry: {{function: forward, style: return}}
  editable: [{editable}]
  axes:
    rows: {{kind: dim, range: [1, 65536]}}
    cols: {{kind: dim, range: [1, 65536], couplings: ["rows * cols <= 2 ** 28"]}}
    dtype: {{kind: dtype, values: [float32]}}  # TODO: the dtypes that are used in practice
  cases:  # TODO: at least five small and three full ones, some with odd sizes, half of the full ones 20 us or more
    - {{rows: 4, cols: 64, dtype: float32, profile: small}}
    - {{rows: 4096, cols: 4096, dtype: float32, profile: full}}
  inputs:
    x: {{shape: [rows, cols], dtype: dtype, distribution: {{normal: [0, 1]}}}}  # TODO: inputs, with special values
  outputs:
    y: {{shape: [rows, cols], dtype: dtype}}  # TODO: outputs
  tolerance:
    float32: {{c: 1, n: 1, tau: 1.0e-6, because: "TODO: where the error comes from"}}
  model: {{bytes: "2 * rows * cols * itemsize", flops: 0}}  # TODO: what the ideal algorithm moves and computes
  source: {origin}
  provenance:
    benchmark: "TODO: the public benchmark that has this operator"
    path: "TODO: the path of its task there"
    operator_type: "TODO: what kind of operator that benchmark calls it"
"""
DESCRIPTION = """\
TODO: what the operator is for, in words that a newcomer understands; then what `forward` gets and returns, and what is
hard about it.
"""
REFERENCE = '''\
"""TODO: the reference, in pure torch; inputs are float64."""

from __future__ import annotations


def reference(inputs):
    return {"y": inputs["x"].clone()}
'''
SECOND = '''\
"""TODO: a second reference by other means: plain loops or another formula."""

from __future__ import annotations


def reference(inputs):
    return {"y": inputs["x"] + 0}
'''
TRITON = '''\
"""TODO: what this does."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def NAME_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=inside), mask=inside)


def forward(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    NAME_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
'''
HIP = """\
// TODO: what this does.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__global__ void NAME_kernel(const float* x, float* y, int64_t count) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) y[i] = x[i];
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int64_t count = x.numel();
  NAME_kernel<<<(count + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), count);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
"""
EAGER = '''\
"""TODO: the operator as it is written in a PyTorch model."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor) -> torch.Tensor:
    return x.clone()
'''


def write_skeleton(category: str, name: str, root: Path, *, is_plain: bool = False) -> Path:
    """Write a new task folder below `root`, a plain one without an expert; returns its path.

    Raises:
        UsageError: the category is unknown, the name is invalid, or the folder exists.
    """
    if category not in CATEGORIES:
        raise UsageError(f"no category is named {category!r}; the categories are {', '.join(CATEGORIES)}")
    if not NAME.fullmatch(name) or name in TAKEN:
        raise UsageError(
            f"{name!r} is not a task name: expected at most 64 letters, digits and underscores, a letter first, "
            f"and none of {', '.join(TAKEN)}"
        )
    folder = root / category / SOURCE / name
    if folder.exists():
        raise UsageError(f"{folder} already exists")
    for file, text in _files(category, name, is_plain).items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    return folder


def _files(category: str, name: str, is_plain: bool) -> dict[str, str]:
    """The files of the skeleton. Expert and variants are copies, for which `validate` demands different code."""
    kind = CATEGORIES[category]
    editable = f"{name}.py" if kind.language == "triton" else "kernel.hip"
    kernel = (TRITON if kind.language == "triton" else HIP).replace("NAME_kernel", f"{name}_kernel")
    source, baseline = ("module.py", EAGER) if kind.starts_from_torch else (editable, kernel)
    target = "forward" if kind.starts_from_torch else f"{name}_kernel"
    config = CONFIG.format(category=category, source=source, editable=editable, kernel=target, origin=SOURCE)
    files = {"config.yaml": config, "description.md": DESCRIPTION, "reference.py": REFERENCE, source: baseline}
    files |= {"variants/second.py": SECOND} | ({} if is_plain else {f"expert/{editable}": kernel})
    for variant, expected in variants_of(category, is_plain=is_plain).items():
        files |= {f"variants/{variant}/{editable}": kernel, f"variants/{variant}/expected": f"{expected}\n"}
    return files
