"""The translation of HIP sources from gfx942 to gfx950: what is read of the assembly, and what may go wrong."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from evaluator.inside.hip_cpu import gfx950
from evaluator.inside.hip_cpu.gate import gate_targets
from evaluator.inside.isa import translate
from evaluator.inside.isa.targets import NOT_IN_TIME
from tests.conftest import lacking

KERNEL = """{name}:                                 ; @{name}
	s_load_dwordx2 s[0:1], s[4:5], 0x0
{body}
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel {name}
		.amdhsa_group_segment_fixed_size 256
	.end_amdhsa_kernel
	.text
; Kernel info:
; codeLenInByte = {code}
; TotalNumSgprs: 14
; NumVgprs: {vgpr}
; NumAgprs: 0
; TotalNumVgprs: 99
; ScratchSize: 332
; LDSByteSize: 256 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; Occupancy: 7
"""
METADATA = """    .args:
      - .name:           x
        .size:           8
    .name:           {name}
    .sgpr_spill_count: 1
    .symbol:         {name}.kd
    .vgpr_count:     64
    .vgpr_spill_count: {spills}
"""
FIGURES = {"sgpr": 14, "agpr": 0, "scratch_bytes": 332, "occupancy": 7, "lds_bytes": 256, "sgpr_spills": 1}
SOURCE = """#include <torch/extension.h>
#include <hip/hip_runtime.h>
__global__ void k(float* x) { x[threadIdx.x] += 1; }
torch::Tensor forward(torch::Tensor x) { k<<<1, 4>>>(x.data_ptr<float>()); return x; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }
"""


def assembly() -> str:
    product = (
        "\tv_mfma_f32_16x16x4_f32 a[0:3], v0, v1, a[0:3]\n\tv_smfmac_f32_16x16x32_f16 v[10:13], a[2:3], v[4:7], v1"
    )
    kernels = KERNEL.format(name="first", body=product, code=40, vgpr=3)
    kernels += KERNEL.format(name="_Z6secondPf", body="", code=44, vgpr=5)
    metadata = METADATA.format(name="first", spills=0) + METADATA.format(name="_Z6secondPf", spills=178)
    return f"\t.text\n{kernels}\n---\namdhsa.kernels:\n{metadata}...\n"


def test_each_kernels_figures_are_its_own() -> None:
    assert gfx950.kernels_of(assembly()) == [
        {"name": "first", "vgpr": 3, "vgpr_spills": 0, "mfma": 2, "code_bytes": 40, **FIGURES},
        {"name": "_Z6secondPf", "vgpr": 5, "vgpr_spills": 178, "mfma": 0, "code_bytes": 44, **FIGURES},
    ]
    assert gfx950.kernels_of("\t.text\n") == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("; NumVgprs: 5", "no NumVgprs is given for _Z6secondPf"),
        ("; codeLenInByte = 44", "no codeLenInByte is given for _Z6secondPf"),
        ("    .vgpr_spill_count: 178", "no spills are given for _Z6secondPf"),
    ],
)
def test_an_assembly_without_a_figure_is_refused_and_never_read_as_zero(line: str, message: str) -> None:
    with pytest.raises(gfx950.TranslationError, match=message):
        gfx950.kernels_of(assembly().replace(line, "; Renamed: 5"))


def test_the_other_targets_features_are_left_out_and_its_word_on_accumulators_is_renewed() -> None:
    old = 'attributes #0 = { "amdgpu-no-agpr" "target-cpu"="gfx942" "target-features"="+fp8-insts,+xf32" "x"="gfx942" }'
    new = 'attributes #0 = { "amdgpu-agpr-alloc"="0" "target-cpu"="gfx950" "x"="gfx942" }'
    assert translate.retargeted(old, "gfx942", "gfx950") == new


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.hip"
    path.write_text(SOURCE)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (
            "import os; os.write(2, b'LLVM ERROR: Cannot select: xf32'); os.abort()",
            "LLVM fails on the way from gfx942: LLVM ERROR: Cannot",
        ),
        ("import os; os.abort()", "LLVM fails on the way from gfx942: error: the compiler was ended by SIGABRT"),
        ("import sys; open(sys.argv[5], 'wb').write(b'\\xff')", "'utf-8' codec can't decode"),
        ("", "[Errno 2] No such file or directory"),
    ],
)
def test_a_translation_that_fails_says_so_and_leaves_gfx942_as_it_is(
    program: str, reason: str, source: Path, tmp_path: Path, hip_toolchain: dict[str, Any], monkeypatch: Any
) -> None:
    if not hip_toolchain["gfx942_available"]:
        lacking(hip_toolchain["gfx942_reason"])
    translator = tmp_path / "translator.py"
    translator.write_text(program)
    monkeypatch.setattr(gfx950, "_TRANSLATOR", translator)
    made = gate_targets(source, tmp_path, hip_toolchain, 600)
    assert (made.gfx942["ok"], len(made.gfx942["kernels"])) == (True, 1)
    assert (made.gfx950["checked"], made.gfx950["kernels"]) == (False, [])
    assert made.gfx950["reason"].startswith(reason)
    assert len(made.gfx950["reason"]) <= gfx950.MAX_REASON
    assert str(tmp_path / "gfx") not in json.dumps(made.gfx950)


def test_a_translation_that_is_late_says_so(source: Path, tmp_path: Path, hip_toolchain: dict[str, Any]) -> None:
    made = gfx950.report_gfx950(source, [], tmp_path, hip_toolchain, time.monotonic())
    assert not made["checked"]
    assert made["reason"].startswith(NOT_IN_TIME)
