"""Prepare a host with a GPU once for .hip files: headers in place, names generated, the Python binding compiled.

The result is in state/hip_gpu/<key>. The builds run in the sandbox (evaluator/inside/hip_gpu), need no device and only
read it. If clang is installed too, sources are also compiled for AMD's targets.
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
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from evaluator.errors import HostError
from evaluator.hip.cuda_names import names_header
from evaluator.hip.prepare import EXPORTS, REFERENCE, ROCM_HEADERS, SOURCES, locked, prepare
from evaluator.inside.excerpts import excerpt
from evaluator.inside.hip_cpu import MODULE_NAME
from evaluator.inside.hip_cpu.uses import write_reference
from evaluator.inside.hip_gpu.build import compile_reference
from evaluator.state import temporary_folder

Kind = Literal["cuda", "rocm"]
_BINDING_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-w")  # with -O1 a call takes 50 ns longer
_MODULE = "-DTORCH_EXTENSION_NAME=candidate"
_NVCC_FLAGS = (
    *("-x", "cu", "-std=c++20", "-O3", "-w", _MODULE),
    *("--expt-relaxed-constexpr", "--expt-extended-lambda", "-Xcompiler=-fPIC,-w"),
)
_HIPCC_FLAGS = (
    *("-x", "hip", "-std=c++20", "-O3", "-w", "-fPIC", _MODULE),
    *("-D__HIP_PLATFORM_AMD__=1", "-DUSE_ROCM=1", "-DHIPBLAS_V2", "-DHIP_ENABLE_WARP_SYNC_BUILTINS=1"),
)
# The reference without its kernel, with the flags that nvcc hands to the same compiler.
HOST_ALONE = ("-x", "c++", "-std=c++20", "-O3", "-fPIC", "-w", _MODULE, "-DARENA_HOST_ALONE")
# Further names of what the thin headers replace, and of what gives them all that they have.
_THIN_NAMES = ("torch/torch.h", "torch/all.h", "torch/types.h", "ATen/ATen.h", "ATen/Dispatch.h", "ATen/core/Tensor.h")
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
    thin_headers: tuple[str, ...]  # none for ROCm, where nobody has tried them on a card
    core_headers: tuple[str, ...]
    whole_headers: tuple[str, ...]
    bindings: tuple[Path, ...]  # linked to what is compiled without all of torch's headers
    reference: Path  # what every extension uses (inside/hip_cpu/uses.py)
    link_flags: tuple[str, ...]
    torch_include: Path
    names: tuple[tuple[str, str], ...]  # replaces a host path in messages
    readable: tuple[Path, ...]
    gfx942: dict[str, Any]  # the toolchain for gate_targets

    @property
    def summary(self) -> str:
        """Describe the toolchain in a line."""
        seen = "are checked" if self.gfx942["gfx942_available"] else f"are not checked: {self.gfx942['gfx942_reason']}"
        return f"{self.compiler}; gfx942 and gfx950 {seen}"

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
    """Return the toolchain of this host; build it below `state` if needed, which takes about half a minute.

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
    content += [_BINDING_FLAGS, _NVCC_FLAGS, _HIPCC_FLAGS, HOST_ALONE, ROCM_HEADERS, _THIN_NAMES, EXPORTS]
    return hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest()[:16]


def _sources(host: GpuHost) -> list[Path]:
    folders = ("gpu", "nvidia") if host.kind == "cuda" else ("gpu",)
    return sorted([REFERENCE, *(path for one in folders for path in (SOURCES / one).rglob("*") if path.is_file())])


def _describe(host: GpuHost, linker: Path, gfx942: dict[str, Any], key: str, root: Path) -> GpuToolchain:
    torch = _torch_folder()
    system = [word for path in _includes(torch) for word in ("-isystem", str(path))]
    nvidia, core = host.kind == "cuda", f"-I{root / 'include/gpu/core'}"
    own = [f"-I{root / 'include/nvidia'}"] if nvidia else []
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
        thin_headers=(f"-I{root / 'include/gpu/thin'}", core, *own, *system) if nvidia else (),
        core_headers=(core, *own, *system),
        whole_headers=(*own, *system),
        bindings=tuple(root / f"{source.stem}.o" for source in _binding_sources(host)),
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
    for headers in ("core", "thin"):
        shutil.copytree(SOURCES / "gpu" / headers, root / "include/gpu" / headers)
    if host.kind == "cuda":
        _nvidia_headers(host, root / "include/nvidia")
    _thin_names(root / "include/gpu/thin")
    (root / "exports.map").write_text(EXPORTS)
    with temporary_folder("toolchain") as folder, ThreadPoolExecutor() as pool:
        pairs = zip(_binding_sources(host), toolchain.bindings, strict=True)
        bindings = [pool.submit(_compile_binding, host, source, made) for source, made in pairs]
        _write_reference(list(_references(toolchain, folder, pool)), toolchain)
        for binding in bindings:
            binding.result()
    for path in (root, *root.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # the sandbox reads it as another user


def _binding_sources(host: GpuHost) -> list[Path]:
    names = ("binding.cpp", "operations.cpp", "streams.cpp") if host.kind == "cuda" else ("binding.cpp",)
    return [SOURCES / "gpu" / name for name in names]


def _compile_binding(host: GpuHost, source: Path, made: Path) -> None:
    folders = [made.parent / "include/gpu/core", *_includes(_torch_folder())]
    folders += [host.compiler.parents[1] / "include"] if host.kind == "cuda" else []
    command = [_gxx(), *_BINDING_FLAGS, _MODULE, *(f"-I{path}" for path in folders), "-c", str(source), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise HostError(f"the binding of HIP extensions does not compile: {excerpt(done.stderr, 1000)}")


def _references(toolchain: GpuToolchain, folder: Path, pool: ThreadPoolExecutor) -> Iterator[Future[Path]]:
    """Compile the reference with every set of headers, at once: one by one they kept the first evaluation for minutes.

    Where the thin headers have given what a kernel leaves open, g++ alone gives the rest.
    """
    own = toolchain.as_dict()
    alone = own | {"compiler": _gxx(), "compile_flags": HOST_ALONE}
    plan = {"thin": own, "core": alone, "whole": alone} if toolchain.thin_headers else {"core": own, "whole": own}
    for headers, parameters in plan.items():
        (folder / headers).mkdir()
        yield pool.submit(compile_reference, REFERENCE, headers, MODULE_NAME, folder / headers, parameters)


def _write_reference(compiling: list[Future[Path]], toolchain: GpuToolchain) -> None:
    """Where all of torch's headers, the last, do not compile in time, sources that need them use more than it."""
    *smaller, whole = compiling
    try:
        objects = [one.result() for one in smaller]
        with suppress(RuntimeError):
            objects.append(whole.result())
        write_reference(objects, None, (), toolchain.as_dict())
    except (RuntimeError, ValueError) as error:
        raise HostError(str(error)) from error


def _thin_names(include: Path) -> None:
    for names, header in ((ROCM_HEADERS, "hipstream.h"), (_THIN_NAMES, "torch/extension.h")):
        for name in names:
            _forward(include / name, header)


def _nvidia_headers(host: GpuHost, include: Path) -> None:
    shutil.copytree(SOURCES / "nvidia", include)
    (include / "hip/hip_cuda_names.h").write_text(names_header(host.compiler.parents[1] / "include"))
    for name in ROCM_HEADERS:
        if not name.startswith("c10/cuda/"):  # torch has these itself
            _forward(include / name, "hipstream.h")


def _forward(name: Path, header: str) -> None:
    """Give a header a further name."""
    name.parent.mkdir(parents=True, exist_ok=True)
    name.write_text(f"#pragma once\n#include <{header}>\n")


def _gxx() -> str:
    return shutil.which("g++") or "g++"


def _includes(torch: Path) -> Iterator[Path]:
    yield from (torch / "include", torch / "include/torch/csrc/api/include", _python_include())


def _python_include() -> Path:
    return Path(sysconfig.get_paths()["include"])


def _torch_folder() -> Path:
    import torch

    return Path(torch.__file__).parent
