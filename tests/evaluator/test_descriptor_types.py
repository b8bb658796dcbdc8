"""The text of a descriptor's type, which Triton reads with `eval`: it makes layouts and runs nothing."""

from __future__ import annotations

import pytest
import torch
import triton.language as tl
from triton.experimental.gluon.language import NVMMASharedLayout
from triton.tools.tensor_descriptor import TensorDescriptor

from evaluator.inside import triton_cpu
from evaluator.inside.descriptor_types import layout_of
from tests.evaluator import kernels_memory as kernels
from tests.evaluator.test_plain_python import rules

LAUNCHES = triton_cpu.install()
SOURCE = """
import torch
from triton.tools.tensor_descriptor import TensorDescriptor

class Size(torch.nn.Module):
    def _get_name(self):
        return "32],print('it ran')#"

def descriptor(x):
    sizes = [32, 32]
    made = TensorDescriptor.from_tensor(x, sizes)
    sizes[1] = Size()
    return made
"""


def test_a_plain_source_cannot_run_a_text_by_the_sizes_of_a_descriptor(monkeypatch, capfd):
    monkeypatch.setattr(LAUNCHES, "compile", True)
    assert rules(SOURCE) == set()
    made = dict[str, object]()
    exec(SOURCE, made)
    x, out = torch.zeros(64, 64), torch.zeros(64, 64)
    with pytest.raises(triton_cpu.CompileFailed, match="no layout that Triton knows"):
        kernels.doubled_by_host_descriptors[(1,)](
            made["descriptor"](x), TensorDescriptor.from_tensor(out, [32, 32]), BLOCK=32
        )
    assert "it ran" not in capfd.readouterr().out


def test_a_layout_is_read_as_it_was_written():
    layout = NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)
    assert tl.str_to_ty(f"tensordesc<fp16[64, 64],{layout!r}>", None).layout == layout


@pytest.mark.parametrize(
    "text", ["print(1)", "L(print(1))", "L(width=print(1))", "L().x", "(lambda: 1)()", "L", "L(**{'a': 1})[0]"]
)
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError, match=r"layout|malformed"):
        layout_of(text, {"L": dict})
