"""HIP for an NVIDIA card, the parts that need no card: names, votes, features, and building the host code."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from evaluator.backends.cuda import CudaBackend
from evaluator.errors import HostError
from evaluator.gates.symbols import findings_of
from evaluator.hip.cuda_names import names_header
from evaluator.hip.prepare import SOURCES
from evaluator.hip.prepare_gpu import HOST_ALONE, GpuHost, find_nvcc, prepare_gpu, version_of
from evaluator.inside.caller import takes_positions
from evaluator.inside.hip_gpu.build import build_gpu, with_votes
from evaluator.inside.hip_gpu.features import unsupported_on_nvidia
from evaluator.state import temporary_folder

SOURCE, VIEWS = Path(__file__).with_name("double.hip"), Path(__file__).with_name("views.hip")
EXPERT = Path(__file__).parents[2] / "tasks/hip2hip/arena/GELU/expert/kernel.hip"
TORCH_INCLUDE = Path(torch.__file__).parent / "include"
REFUSED = """#include <torch/extension.h>
template <class T>
concept fills = requires(at::Tensor x, T value) { x.fill_(value); };
static_assert(fills<int64_t> && fills<int> && fills<bool> && fills<uint8_t> && fills<float> && fills<double>);
static_assert(!fills<uint64_t> && !fills<long double> && !fills<at::Tensor>);
static_assert(std::is_assignable_v<at::Tensor&, at::Tensor> && !std::is_assignable_v<at::Tensor, at::Tensor>);
"""
COMPILER = """#!/bin/sh
case "$*" in {fails}) echo "{message}"; exit 1;; esac
while [ "$1" != -o ]; do shift; done
echo "arena_fill_candidate PyInit_candidate" > "$2"
"""


def test_names_are_those_that_cuda_has(tmp_path: Path) -> None:
    declared = "cudaError_t cudaMalloc(void**); struct cudaDeviceProp; int cudaMallocHost(); int cudaHostAlloc();"
    (tmp_path / "cuda_runtime_api.h").write_text(declared)
    names = names_header(tmp_path).splitlines()
    assert {"#define hipMalloc cudaMalloc", "#define hipError_t cudaError_t"} <= set(names)
    assert "#define hipDeviceProp_t cudaDeviceProp" in names  # differs in more than the prefix
    assert "#define hipHostMalloc cudaMallocHost" in names  # the one whose parameters fit
    assert not any("hipMemcpy" in name for name in names)


def test_votes_are_renamed_in_code_alone() -> None:
    text = 'if (__any (p)) f("__any(p)"); // __all(p)\nint x__any = __all(q);'
    assert with_votes(text) == 'if (hip_any (p)) f("__any(p)"); // __all(p)\nint x__any = hip_all(q);'


def test_features_that_the_card_lacks_are_named() -> None:
    text = "v = __builtin_amdgcn_readfirstlane(v); __hip_atomic_load(p, 0, 0); namespace cg = cooperative_groups;"
    assert unsupported_on_nvidia(text) == ["__hip_atomic operations", "builtins of AMD's compiler"]
    assert unsupported_on_nvidia(SOURCE.read_text()) == []


@pytest.mark.parametrize(
    ("fails", "message", "headers", "log"),
    [
        ("nothing", "", ["thin"], ""),
        ("*/thin*", "error: whatever it is", ["thin", "core"], ""),
        ("*/thin*|*/core*", "error: no operator matches", ["thin", "core", "whole"], ""),
        ("*/thin*|*/core*", "error: expected a semicolon", ["thin", "core"], "error: expected a semicolon"),
    ],
)
def test_larger_headers_are_tried_when_smaller_ones_may_lack(
    tmp_path: Path, fails: str, message: str, headers: list[str], log: str
) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER.format(fails=fails, message=message))
    compiler.chmod(0o755)
    toolchain = {
        "kind": "cuda", "compiler": str(compiler), "linker": str(compiler), "compile_flags": [], "link_flags": [],
        "bindings": ["a.o", "b.o"], "names": [], "torch_include": str(tmp_path),
        **{f"{name}_headers": [f"-I/{name}"] for name in ("thin", "core", "whole")},
    }  # fmt: skip
    build = build_gpu(VIEWS, "candidate", tmp_path, toolchain, 60)
    compiled = [command for command in build["commands"] if " -c " in command]
    assert [next(name for name in ("thin", "core", "whole") if f"-I/{name}" in one) for one in compiled] == headers
    assert build["log"].strip() == log
    assert build["ok"] == (not log)
    linked = "a.o b.o" in build["commands"][-1]
    assert linked == (build["ok"] and headers[-1] != "whole")


def thinly(text: str) -> subprocess.CompletedProcess[str]:
    """Read a source with the thin headers, and list what it includes."""
    includes = [f"-I{folder}" for folder in (SOURCES / "gpu/thin", SOURCES / "gpu/core", TORCH_INCLUDE)]
    flags = ["-x", "c++", "-std=c++20", "-w", "-DTORCH_EXTENSION_NAME=candidate", *includes]
    command = [shutil.which("g++") or "g++", *flags, "-fsyntax-only", "-H", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def test_the_thin_headers_need_none_of_torch() -> None:
    """But the half-precision types, with which kernels compute."""
    done = thinly(VIEWS.read_text())
    assert done.returncode == 0, done.stderr[-2000:]
    of_torch = [line for line in done.stderr.splitlines() if line.startswith(".") and str(TORCH_INCLUDE) in line]
    assert of_torch
    assert not [line for line in of_torch if "/ATen/" in line or "/core/" in line]


def test_the_thin_headers_refuse_what_they_would_do_otherwise() -> None:
    """Then larger ones are tried. What must compile is in the same source."""
    done = thinly(REFUSED)
    assert done.returncode == 0, done.stderr[-2000:]
    done = thinly("#include <types.h>\nvoid f(bool a) { if (a) TORCH_CHECK(a, 1); else throw a; }")
    assert "without a previous" in done.stderr


@pytest.fixture(scope="module")
def toolchain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Prepare as on an NVIDIA host."""
    try:
        nvcc = find_nvcc()
    except HostError as reason:
        pytest.skip(str(reason))
    runtime = next(nvcc.parents[1].glob("lib*/libcudart.so"), None)
    if runtime is None:
        pytest.skip("this CUDA has no libcudart.so")
    host = GpuHost("cuda", "sm_90", nvcc, version_of(nvcc), runtime)
    with pytest.MonkeyPatch.context() as patch:
        if torch.version.cuda is None:  # its headers lack what the streams need, which these sources do not use
            sources = [SOURCES / "gpu/binding.cpp", SOURCES / "gpu/operations.cpp"]
            patch.setattr("evaluator.hip.prepare_gpu._binding_sources", lambda _: sources)
            patch.setattr("evaluator.hip.prepare_gpu._references", lambda *_: [])  # half a minute of two cores
            patch.setattr("evaluator.hip.prepare_gpu._write_reference", lambda *_: None)
        made = prepare_gpu(tmp_path_factory.mktemp("hip_gpu"), host).as_dict()
    made["link_flags"] += [f"-Wl,-rpath,{runtime.parent}"]  # no CUDA torch has loaded it
    return made


def built(source: Path, headers: str, folder: Path, toolchain: dict[str, Any]) -> ModuleType:
    """Build a source, which these headers must suffice for, and load it here."""
    build = build_gpu(source, "candidate", folder, toolchain, 900)
    assert build["ok"], build["log"]
    assert build["has_module"]
    assert f"include/gpu/{headers}" in build["commands"][-2]
    return _load(Path(build["product"]))


UNFIT: tuple[Callable[[ModuleType, torch.Tensor], object], ...] = (
    lambda module, x: module.forward(),
    lambda module, x: module.forward(x, n=1.5),
    lambda module, x: module.forward(x, unknown=1),
    lambda module, x: module.forward(x, 1.0, 1, False, 1),
    lambda module, x: module.forward("x"),
    lambda module, x: module.pair(2**40, []),
)


@pytest.mark.slow
@pytest.mark.parametrize("headers", ["thin", "core"])
def test_what_a_tensor_is_and_its_views_are_torchs_with_any_headers(
    tmp_path: Path, toolchain: dict[str, Any], headers: str
) -> None:
    alone = {"compiler": "g++", "compile_flags": HOST_ALONE}  # the source has no kernel, and nvcc takes much longer
    given = toolchain | alone | ({"thin_headers": []} if headers == "core" else {})
    module, x = built(VIEWS, headers, tmp_path, given), torch.arange(24.0).view(2, 3, 4)
    assert module.facts(x.transpose(0, 2)) == [3, 24, 2, 1, 0, 0, 4, 96, 0, 1, 1, 1, 0, -1]
    parts = [x.select(1, 2), x[1], x[:, :, 1:4:2], x.narrow(1, 1, 2), x[None], x[0], x.flatten(1)]
    wanted = [x.view(6, 4), x.reshape(-1), x.permute(2, 0, 1), x.transpose(0, 1).contiguous(), *parts]
    wanted += [x[None].expand(5, 2, 3, 4), x.double(), x.clone(), x.view(4, 6)]
    for view, right in zip(module.views(x), wanted, strict=True):
        assert (view.dtype, view.shape, view.stride()) == (right.dtype, right.shape, right.stride())
        assert torch.equal(view, right)
    assert module.undefined_facts() == [0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    with pytest.raises(RuntimeError, match="tensor does not have a device"):
        module.undefined_device()
    assert [one.item() for one in module.whole()] == [255, 2**63 - 1]
    assert module.end(x.view(-1)[24:]) == x.data_ptr() + 96
    copied, filled, *plain = module.made(x, x + 1)
    assert torch.equal(copied, (x + 1).double())
    assert torch.equal(filled, torch.full((2, 2), 7))
    for one, right in zip(plain, (torch.zeros(3, dtype=torch.half), x * 0 + 1, x * 0), strict=True):
        assert one.dtype == right.dtype
        assert torch.equal(one, right)
    assert [module.first(torch.tensor([1.5]).to(dtype)) for dtype in (torch.half, torch.bfloat16)] == [1.5, 1.5]
    with pytest.raises(RuntimeError, match=r"not 2 of \[2, 2\]"):
        module.first(torch.ones(2, 2))
    with pytest.raises(NotImplementedError, match="\"first\" not implemented for 'Int'"):
        module.first(torch.ones(2).int())
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        module.float_of(x.double())


@pytest.mark.gpu
@pytest.mark.slow
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no NVIDIA card")
def test_an_expert_needs_only_the_thin_headers() -> None:
    """And leaves nothing open that every extension does not."""
    backend = CudaBackend()
    with temporary_folder("build") as folder:
        build = build_gpu(EXPERT, "candidate", folder, backend.toolchain.as_dict(), 900)
        assert build["ok"], build["log"]
        assert "include/gpu/thin" in build["commands"][-2]
        assert build["uses"]["unread"] == ""
        assert list(findings_of(build["uses"])) == []
        module, x = _load(Path(build["product"])), torch.randn(1000, device="cuda")
        assert torch.allclose(module.forward(x), torch.nn.functional.gelu(x), atol=1e-5)


@pytest.mark.slow
def test_arguments_and_exceptions_travel_as_pybind11_has_them(tmp_path: Path, toolchain: dict[str, Any]) -> None:
    extension = built(SOURCE, "thin", tmp_path, toolchain)
    x = torch.ones(3)
    assert extension.forward(x).tolist() == [2.0, 2.0, 2.0]
    assert extension.forward(x=x, scale=-5).tolist() == [-5.0, -5.0, -5.0]
    assert extension.two(x, None, "ab")[1].tolist() == [2.0, 2.0, 2.0]
    assert extension.two(x, x * 4, "")[1].tolist() == [4.0, 4.0, 4.0]
    assert extension.pair(3, [1, 2]) == (4, [1, 2])
    assert not takes_positions(extension.forward)
    assert takes_positions(extension.two)
    for call in UNFIT:
        with pytest.raises(TypeError, match="incompatible function arguments"):
            call(extension, x)
    with pytest.raises(RuntimeError, match="n is not positive"):
        extension.forward(x, n=-1)


def _load(product: Path) -> ModuleType:
    name = f"{product.parent.name}.candidate"  # pybind11 gives a name's first module again
    spec = importlib.util.spec_from_file_location(name, product)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
