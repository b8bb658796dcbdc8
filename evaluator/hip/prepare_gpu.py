"""Prepare a host with a GPU once for .hip files: headers in place, names generated, the Python binding compiled.

The result is in state/hip_gpu/<key>. The builds run in the sandbox (evaluator/inside/hip_gpu), need no device and only
read it. If clang is installed too, sources are also compiled for gfx942.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from evaluator.errors import HostError
from evaluator.hip.cuda_names import names_header
from evaluator.hip.prepare import EXPORTS, REFERENCE, ROCM_HEADERS, SOURCES, locked, prepare
from evaluator.inside.excerpts import excerpt
from evaluator.inside.hip_cpu import MODULE_NAME
from evaluator.inside.hip_gpu.build import build_reference
from evaluator.state import temporary_folder

Kind = Literal["cuda", "rocm"]
_BINDING_FLAGS = ("-std=c++20", "-O1", "-fPIC", "-w")
_MODULE = "-DTORCH_EXTENSION_NAME=candidate"
_NVCC_FLAGS = (
    *("-x", "cu", "-std=c++20", "-O3", "-w", _MODULE),
    *("--expt-relaxed-constexpr", "--expt-extended-lambda", "-Xcompiler=-fPIC,-w"),
)
_HIPCC_FLAGS = (
    *("-x", "hip", "-std=c++20", "-O3", "-w", "-fPIC", _MODULE),
    *("-D__HIP_PLATFORM_AMD__=1", "-DUSE_ROCM=1", "-DHIPBLAS_V2", "-DHIP_ENABLE_WARP_SYNC_BUILTINS=1"),
)
_TORCH = {
    "cuda": ("c10", "c10_cuda", "torch_cpu", "torch_cuda", "torch", "torch_python"),
    "rocm": ("c10", "c10_hip", "torch_cpu", "torch_hip", "torch", "torch_python"),
}


@dataclass(frozen=True, slots=True)
class GpuHost:
    """A backend's host: the compiler, its version, and the runtime that torch has loaded."""

    kind: Kind
    architecture: str  # sm_90 or gfx942
    compiler: Path
    compiler_version: str
    runtime: Path


@dataclass(frozen=True, slots=True)
class GpuToolchain:
    """The parameters of a build in the sandbox; evaluator/inside/hip_gpu gets them as a dict."""

    kind: Kind
    root: Path
    key: str
    compiler: Path
    linker: Path
    compile_flags: tuple[str, ...]
    core_headers: tuple[str, ...]
    whole_headers: tuple[str, ...]
    binding: Path
    reference: Path  # what every extension uses (inside/hip_cpu/uses.py)
    link_flags: tuple[str, ...]
    torch_include: Path
    names: tuple[tuple[str, str], ...]  # replaces a host path in messages
    readable: tuple[Path, ...]
    gfx942: dict[str, Any]  # the toolchain for gate_gfx942

    @property
    def summary(self) -> str:
        """Describe the toolchain in a line."""
        seen = "is checked" if self.gfx942["gfx942_available"] else f"is not checked: {self.gfx942['gfx942_reason']}"
        return f"{self.compiler}; gfx942 {seen}"

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters as JSON values, together with those for gfx942."""
        own: dict[str, Any] = json.loads(json.dumps(asdict(self), default=str))
        beside: dict[str, Any] = own.pop("gfx942")
        return beside | own | {"names": [*beside.get("names", []), *own["names"]]}


def find_nvcc() -> Path:
    """Return CUDA's compiler from CUDA_HOME, PATH, or the newest version below /usr/local.

    Raises:
        HostError: it is not installed.
    """
    home = os.environ.get("CUDA_HOME")
    newest = sorted(Path("/usr/local").glob("cuda*/bin/nvcc"), reverse=True)
    for found in (home and f"{home}/bin/nvcc", shutil.which("nvcc"), *newest):
        if found and (Path(found).resolve().parents[1] / "include/cuda_runtime_api.h").exists():
            return Path(found).resolve()
    raise HostError("HIP on NVIDIA needs nvcc: install the CUDA toolkit")


def version_of(compiler: Path) -> str:
    return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout


def prepare_gpu(state: Path, host: GpuHost) -> GpuToolchain:
    """Return the toolchain of this host; build it below `state` if needed, which takes about a minute.

    Raises:
        HostError: a C++ compiler or Python's headers are missing, or the binding does not compile.
    """
    linker = shutil.which("g++")
    if linker is None or not (_python_include() / "Python.h").exists():
        raise HostError("HIP on a GPU needs these packages: apt-get install -y --no-install-recommends g++ python3-dev")
    gfx942 = _gfx942(state)
    key = _key(host, Path(linker), gfx942)
    root = state.resolve() / "hip_gpu" / key
    toolchain = _describe(host, Path(linker), gfx942, key, root)
    ready = root / "ready"
    if not ready.exists():
        root.parent.mkdir(parents=True, exist_ok=True)
        with locked(root.with_suffix(".lock")):
            if not ready.exists():
                _build(host, toolchain)
                ready.touch()
    return toolchain


def _gfx942(state: Path) -> dict[str, Any]:
    """Return the parameters for compiling for gfx942, or the packages that are missing for it."""
    try:
        made = prepare(state, device_only=True)
    except HostError as lacking:
        return {"gfx942_available": False, "gfx942_reason": str(lacking), "readable": []}
    wanted = ("gfx942_", "clang", "demangler", "disassembler", "names", "readable")
    return {field.name: getattr(made, field.name) for field in fields(made) if field.name.startswith(wanted)}


def _key(host: GpuHost, linker: Path, gfx942: dict[str, Any]) -> str:
    sources = {path.relative_to(SOURCES).as_posix(): path.read_text(encoding="utf-8") for path in _sources(host)}
    content = [asdict(host), version_of(linker), importlib.metadata.version("torch"), gfx942, sources]
    content += [_BINDING_FLAGS, _NVCC_FLAGS, _HIPCC_FLAGS, ROCM_HEADERS, EXPORTS]
    return hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest()[:16]


def _sources(host: GpuHost) -> list[Path]:
    folders = ("gpu", "nvidia") if host.kind == "cuda" else ("gpu",)
    return sorted([REFERENCE, *(path for one in folders for path in (SOURCES / one).rglob("*") if path.is_file())])


def _describe(host: GpuHost, linker: Path, gfx942: dict[str, Any], key: str, root: Path) -> GpuToolchain:
    torch = _torch_folder()
    system = [word for path in _includes(torch) for word in ("-isystem", str(path))]
    own = [f"-I{root / 'include/nvidia'}"] if host.kind == "cuda" else []
    libraries = [name for name in _TORCH[host.kind] if (torch / f"lib/lib{name}.so").exists()]
    link = [f"-L{torch / 'lib'}", *(f"-l{name}" for name in libraries), str(host.runtime)]
    names = {root: "<toolchain>", torch / "include": "<torch>", host.compiler.parents[1]: "<compiler>"}
    return GpuToolchain(
        kind=host.kind,
        root=root,
        key=key,
        compiler=host.compiler,
        linker=host.compiler if host.kind == "rocm" else linker,
        compile_flags=_compile_flags(host),
        core_headers=(f"-I{root / 'include/gpu/core'}", *own, *system),
        whole_headers=(*own, *system),
        binding=root / "binding.o",
        reference=root / "reference.json",
        link_flags=(*link, f"-Wl,--version-script={root / 'exports.map'}", "-Wl,-s"),
        torch_include=torch / "include",
        names=tuple((str(folder), name) for folder, name in names.items()),
        readable=(root, torch, host.compiler.parents[1], host.runtime.parent, *map(Path, gfx942["readable"])),
        gfx942=gfx942,
    )


def _compile_flags(host: GpuHost) -> tuple[str, ...]:
    if host.kind == "rocm":
        return (*_HIPCC_FLAGS, f"--offload-arch={host.architecture}")
    number = host.architecture.removeprefix("sm_")
    number += "a" if int(number) >= 90 else ""  # with features of exactly this architecture
    return (*_NVCC_FLAGS, f"-gencode=arch=compute_{number},code=sm_{number}")


def _build(host: GpuHost, toolchain: GpuToolchain) -> None:
    root = toolchain.root
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(SOURCES / "gpu/core", root / "include/gpu/core")
    if host.kind == "cuda":
        _nvidia_headers(host, root / "include/nvidia")
    (root / "exports.map").write_text(EXPORTS)
    includes = [f"-I{root / 'include/gpu/core'}", *(f"-I{path}" for path in _includes(_torch_folder()))]
    gxx = shutil.which("g++") or "g++"
    command = [gxx, *_BINDING_FLAGS, _MODULE, *includes, "-c", str(SOURCES / "gpu/binding.cpp")]
    done = subprocess.run([*command, "-o", str(toolchain.binding)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise HostError(f"the binding of HIP extensions does not compile: {excerpt(done.stderr, 1000)}")
    _compile_reference(toolchain)
    for path in (root, *root.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # the sandbox reads it as another user


def _compile_reference(toolchain: GpuToolchain) -> None:
    with temporary_folder("toolchain") as folder:
        try:
            build_reference(REFERENCE, MODULE_NAME, folder, toolchain.as_dict())
        except (RuntimeError, ValueError) as error:
            raise HostError(str(error)) from error


def _nvidia_headers(host: GpuHost, include: Path) -> None:
    shutil.copytree(SOURCES / "nvidia", include)
    (include / "hip/hip_cuda_names.h").write_text(names_header(host.compiler.parents[1] / "include"))
    for name in ROCM_HEADERS:
        if not name.startswith("c10/cuda/"):  # torch has these itself
            (include / name).parent.mkdir(parents=True, exist_ok=True)
            (include / name).write_text("#pragma once\n#include <hipstream.h>\n")


def _includes(torch: Path) -> Iterator[Path]:
    yield from (torch / "include", torch / "include/torch/csrc/api/include", _python_include())


def _python_include() -> Path:
    return Path(sysconfig.get_paths()["include"])


def _torch_folder() -> Path:
    import torch

    return Path(torch.__file__).parent
