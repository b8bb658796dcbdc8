"""Builds for the CPU and for gfx942: products, messages, kinds of faults, resources of kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluator.inside.hip_cpu import build_both, build_cpu
from evaluator.inside.hip_cpu import gate as gate_module
from evaluator.inside.hip_cpu.compiler import run_compiler
from evaluator.inside.hip_cpu.gate import gate_targets
from evaluator.inside.hip_cpu.torch_names import fits_precompiled
from tests.conftest import lacking

HERE = Path(__file__).parent
LIMIT_S = 600.0  # a build takes 5 s on a quiet machine
EXTENSION = """#include <torch/extension.h>
#include <hip/hip_runtime.h>
__global__ void k(float* x) {{ x[threadIdx.x] += 1; {device} }}
torch::Tensor forward(torch::Tensor x) {{ {host} k<<<1, 4>>>(x.data_ptr<float>()); return x; }}
{binding}
"""
BINDING = 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }'


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Return write(device=..., host=..., binding=...), which writes a source file to its own workspace."""

    def write(**parts: str) -> Path:
        source = tmp_path / "kernel.hip"
        source.write_text(EXTENSION.format(**{"device": "", "host": "", "binding": BINDING, **parts}))
        return source

    return write


@pytest.fixture
def gfx942_toolchain(hip_toolchain: dict[str, Any]) -> dict[str, Any]:
    if not hip_toolchain["gfx942_available"]:
        lacking(hip_toolchain["gfx942_reason"])
    return hip_toolchain


def test_both_builds_of_a_good_source_succeed(write: Any, tmp_path: Path, gfx942_toolchain: dict[str, Any]) -> None:
    builds = build_both(write(), tmp_path, gfx942_toolchain, LIMIT_S)
    assert (builds["native"]["ok"], builds["native"]["has_module"], builds["native"]["log"]) == (True, True, "")
    assert (tmp_path / builds["native"]["product"]).is_file()
    assert (builds["gfx942"]["checked"], builds["gfx942"]["ok"]) == (True, True)
    assert [kernel["name"] for kernel in builds["gfx942"]["kernels"]] == ["k(float*)"]
    assert builds["gfx950"]["checked"], builds["gfx950"]
    assert [kernel["name"] for kernel in builds["gfx950"]["kernels"]] == ["k(float*)"]
    assert builds["unsupported"] == []


def test_a_mistake_is_shown_with_its_line_and_without_paths_of_the_host(
    write: Any, tmp_path: Path, gfx942_toolchain: dict[str, Any]
) -> None:
    builds = build_both(write(host="auto y = torch::empty_like(x)"), tmp_path, gfx942_toolchain, LIMIT_S)
    assert builds["native"]["fault"] == "compile"
    assert not builds["gfx942"]["ok"]
    for log in (builds["native"]["log"], builds["gfx942"]["log"]):
        assert log.startswith("kernel.hip:4:")
        assert "error: expected ';' at end of declaration" in log
        assert str(tmp_path) not in log
    assert not any(str(tmp_path) in command for command in builds["native"]["commands"])


def test_an_error_in_a_header_names_no_path_of_the_host(
    write: Any, tmp_path: Path, hip_toolchain: dict[str, Any]
) -> None:
    build = build_cpu(write(device="__shfl(float4{}, 1);"), "candidate", tmp_path, hip_toolchain, LIMIT_S)
    assert "<hip>/cpu/hipcpu/wave.h" in build["log"]
    assert "a shuffle moves at most 8 bytes" in build["log"]
    assert hip_toolchain["root"] not in build["log"]


def test_a_launch_that_cannot_be_read_is_a_fault_of_the_source(
    write: Any, tmp_path: Path, hip_toolchain: dict[str, Any]
) -> None:
    build = build_cpu(write(host="k<<<1, 4>>(x);"), "candidate", tmp_path, hip_toolchain, LIMIT_S)
    assert build["fault"] == "source"
    assert build["log"] == "kernel.hip:4: error: this `<<<` has no matching `>>>`\n"


@pytest.mark.parametrize(
    ("binding", "message"),
    [
        ("", "no PYBIND11_MODULE, so there is nothing Python could import"),
        ("PYBIND11_MODULE(my_name, m) {}", "PYBIND11_MODULE names the module my_name; use TORCH_EXTENSION_NAME"),
        (
            "// PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}",
            "no PYBIND11_MODULE, so there is nothing Python could import",
        ),
    ],
)
def test_a_source_without_a_module_builds_and_is_detected(
    binding: str, message: str, write: Any, tmp_path: Path, hip_toolchain: dict[str, Any]
) -> None:
    build = build_cpu(write(binding=binding), "candidate", tmp_path, hip_toolchain, LIMIT_S)
    assert (build["ok"], build["has_module"]) == (True, False)
    assert build["log"] == f"kernel.hip: error: {message}\n"


def test_a_build_that_takes_too_long_is_killed(write: Any, tmp_path: Path, hip_toolchain: dict[str, Any]) -> None:
    build = build_cpu(write(), "candidate", tmp_path, hip_toolchain, 0.05)
    assert build["fault"] == "timeout"
    assert not (tmp_path / "candidate.so").exists()
    assert build["log"] == "error: not finished in 0.05 s\n"


def test_a_build_writes_into_its_folder_alone(
    write: Any, tmp_path: Path, hip_toolchain: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, folder, temporary = write(), tmp_path / "folder", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = set(tmp_path.iterdir())
    build_cpu(source, "candidate", folder, hip_toolchain, LIMIT_S)
    assert set(tmp_path.iterdir()) == before
    assert list(temporary.iterdir()) == []
    assert sorted(path.name for path in folder.iterdir()) == [
        *("candidate.cpp", "candidate.ll", "candidate.o", "candidate.read.ll", "candidate.s", "candidate.so")
    ]


def test_the_gate_reads_what_each_kernel_needs(tmp_path: Path, gfx942_toolchain: dict[str, Any]) -> None:
    made = gate_targets(HERE / "hip/spill.hip", tmp_path, gfx942_toolchain, LIMIT_S)
    gate, translated = made
    assert (gate["ok"], gate["log"], translated["checked"]) == (True, "", True)
    kernels = {kernel["name"]: kernel for kernel in gate["kernels"]}
    assert set(kernels) == {"spills", "void copies<double>(double const*, double*)"}
    spills, copies = kernels["spills"], kernels["void copies<double>(double const*, double*)"]
    assert spills["vgpr_spills"] > 0
    assert spills["scratch_bytes"] > 0
    assert spills["vgpr"] <= 64
    assert spills["lds_bytes"] == 256
    names = ("vgpr_spills", "scratch_bytes", "lds_bytes", "occupancy", "mfma")
    assert [copies[name] for name in names] == [0, 0, 0, 8, 0]
    assert spills["code_bytes"] > copies["code_bytes"] > 0
    assert all(set(kernel) == set(spills) and kernel["sgpr"] > 0 for kernel in kernels.values())
    there = {kernel["name"]: kernel for kernel in translated["kernels"]}
    assert list(there) == list(kernels)
    assert there["spills"]["vgpr_spills"] > 0
    assert all(there["spills"][name] == spills[name] for name in ("vgpr", "agpr", "sgpr", "lds_bytes", "occupancy"))
    copies = there["void copies<double>(double const*, double*)"]
    assert [copies[name] for name in names] == [0, 0, 0, 8, 0]
    assert all(set(kernel) == set(spills) for kernel in there.values()), "the same figures on both targets"


def test_the_gate_reads_the_same_with_and_without_the_precompiled_header(
    write: Any, tmp_path: Path, gfx942_toolchain: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that cannot be read is as one that a source does not compile with: the source is compiled without it."""
    absent = {**gfx942_toolchain, "gfx942_precompiled": ["-Xclang", "-include-pch", "-Xclang", "/nothing.pch"]}
    runs: list[list[str]] = []
    monkeypatch.setattr(
        gate_module, "run_compiler", lambda command, *rest: runs.append(command) or run_compiler(command, *rest)
    )
    fast = gate_targets(write(), tmp_path, gfx942_toolchain, LIMIT_S).gfx942
    assert len(runs) == 1, "the header suffices"
    slow = gate_targets(write(), tmp_path, absent, LIMIT_S).gfx942
    assert len(runs) == 3
    assert fast | {"seconds": 0} == slow | {"seconds": 0}
    assert fast["ok"]


@pytest.mark.parametrize(
    ("before", "fits"),
    [
        ("", True),
        ("// #define FAST\n", True),
        ("#define __HIP_NO_HALF_CONVERSIONS__\n", False),
        ("#include <torch/nn.h>\n", False),
        ("#include <pybind11/stl.h>\n", False),
        ("#ifdef HIP_VERSION\n", False),
        ("struct dim3;\n", False),
        ("#include <cmath>\n", True),
    ],
)
def test_a_precompiled_header_is_for_sources_that_include_the_same(before: str, fits: bool) -> None:
    assert fits_precompiled(before + EXTENSION) is fits
    assert not fits_precompiled(before + EXTENSION.replace("#include <hip/hip_runtime.h>", ""))
    assert not fits_precompiled(before + EXTENSION.replace("#include <torch/extension.h>", ""))


def test_the_gate_rejects_more_lds_than_the_device_has(
    write: Any, tmp_path: Path, gfx942_toolchain: dict[str, Any]
) -> None:
    source = write(device="__shared__ float s[20000]; s[threadIdx.x] = x[0]; __syncthreads(); x[1] = s[3];")
    gate, translated = gate_targets(source, tmp_path, gfx942_toolchain, LIMIT_S)
    assert (gate["checked"], gate["ok"]) == (True, False)
    assert "local memory (80000) exceeds limit (65536)" in gate["log"]
    assert [kernel["lds_bytes"] for kernel in translated["kernels"]] == [80_000], "gfx950 has 160 KiB"


def test_the_gate_says_what_is_missing_where_the_toolchain_is_missing(
    write: Any, tmp_path: Path, hip_toolchain: dict[str, Any]
) -> None:
    absent = {**hip_toolchain, "gfx942_available": False, "gfx942_reason": "install rocm-device-libs"}
    gate, translated = gate_targets(write(), tmp_path, absent, LIMIT_S)
    assert (gate["checked"], gate["ok"], translated["checked"]) == (False, False, False)
    assert gate["reason"] == translated["reason"] == "install rocm-device-libs"


def test_matrix_instructions_compile_for_the_targets_alone(
    write: Any, tmp_path: Path, gfx942_toolchain: dict[str, Any]
) -> None:
    mfma = "typedef float f4 __attribute__((ext_vector_type(4))); f4 c = {};"
    source = write(device=mfma + " c = __builtin_amdgcn_mfma_f32_16x16x4f32(1.0f, 1.0f, c, 0, 0, 0); x[0] = c[0];")
    builds = build_both(source, tmp_path, gfx942_toolchain, LIMIT_S)
    assert not builds["native"]["ok"]
    assert builds["gfx942"]["ok"]
    for target in ("gfx942", "gfx950"):
        assert [kernel["mfma"] for kernel in builds[target]["kernels"]] == [1]
    assert builds["unsupported"] == ["the builtin __builtin_amdgcn_mfma_f32_16x16x4f32"]
