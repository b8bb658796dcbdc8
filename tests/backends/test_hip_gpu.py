"""HIP for an NVIDIA card, the parts that need no card: names, votes, features, and building the host code."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

from evaluator.errors import HostError
from evaluator.hip.cuda_names import names_header
from evaluator.hip.prepare_gpu import GpuHost, find_nvcc, prepare_gpu, version_of
from evaluator.inside.caller import takes_positions
from evaluator.inside.hip_gpu.build import build_gpu, with_votes
from evaluator.inside.hip_gpu.features import unsupported_on_nvidia

SOURCE = Path(__file__).with_name("double.hip")


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


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """Build double.hip as on an NVIDIA host and load it here."""
    try:
        nvcc = find_nvcc()
    except HostError as reason:
        pytest.skip(str(reason))
    runtime = next(nvcc.parents[1].glob("lib*/libcudart.so"), None)
    if runtime is None:
        pytest.skip("this CUDA has no libcudart.so")
    folder = tmp_path_factory.mktemp("hip_gpu")
    host = GpuHost("cuda", "sm_90", nvcc, version_of(nvcc), runtime)
    with pytest.MonkeyPatch.context() as patch:
        if (
            not hasattr(torch.version, "cuda") or torch.version.cuda is None
        ):  # its headers lack what the reference needs
            patch.setattr("evaluator.hip.prepare_gpu._compile_reference", lambda _: None)
        toolchain = prepare_gpu(folder, host).as_dict()
    toolchain["link_flags"] += [f"-Wl,-rpath,{runtime.parent}"]  # no CUDA torch has loaded it
    build = build_gpu(SOURCE, "candidate", folder, toolchain, 900)
    assert build["ok"], build["log"]
    assert build["has_module"]
    assert len(build["commands"]) == 2, "the core of torch's headers was not enough"
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
def test_arguments_and_exceptions_travel_as_pybind11_has_them(extension: ModuleType) -> None:
    """One test, since a second process that ran another would build the extension again: 45 s."""
    x = torch.ones(3)
    assert extension.forward(x).tolist() == [2.0, 2.0, 2.0]
    assert extension.forward(x=x, scale=-5).tolist() == [-5.0, -5.0, -5.0]
    assert extension.two(x, None, "ab")[1].tolist() == [3.0, 3.0, 3.0]
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
    spec = importlib.util.spec_from_file_location("candidate", product)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
