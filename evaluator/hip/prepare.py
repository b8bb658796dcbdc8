"""Prepare this host once for .hip files: precompile the headers, compile the runtime, collect device libraries.

The result is in state/hip/<key>. The key covers all inputs, so a change of torch, clang, CPU or headers makes a new
folder. The builds run in the sandbox (evaluator/inside/hip_cpu) and only read it.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from evaluator.hip.host import HostTools, find_host
from evaluator.inside.hip_cpu import MODULE_NAME
from evaluator.inside.hip_cpu.build import build_reference
from evaluator.state import temporary_folder

SOURCES = Path(__file__).resolve().parent
HEADER_FOLDERS = ("cpu", "both", "gfx942")
RUNTIME = ("scheduler", "launches", "memory", "host_api")  # in cpu/runtime
ALLOCATOR = "allocator.cpp"
REFERENCE = SOURCES / "reference.hip"  # what every extension uses
GFX942_HEADER = "gfx942.pch"

# Headers that only torch's ROCm build has; each is both/hipstream.h under another name.
ROCM_HEADERS = (
    *(f"ATen/{kind}/{kind.upper()}Context.h" for kind in ("hip", "cuda")),
    *(f"ATen/{kind}/Exceptions.h" for kind in ("hip", "cuda")),
    *(
        f"c10/{kind}/{kind.upper()}{name}.h"
        for kind in ("hip", "cuda")
        for name in ("Stream", "Guard", "Exception", "Functions", "Macros")
    ),
    "ATen/cuda/CUDAContextLight.h",
    "ATen/hip/impl/HIPGuardImplMasqueradingAsCUDA.h",
    "ATen/hip/impl/HIPStreamMasqueradingAsCUDA.h",
)

_CPU_FLAGS = (
    "-std=c++20",
    "-fPIC",
    "-O3",
    "-march=native",  # the key holds the CPU model
    "-ffp-contract=fast",  # as for the device
    "-Xclang",
    "-ffloat16-excess-precision=none",  # every half-precision operation rounds, with or without AVX512-FP16
    "-fno-math-errno",
    "-fno-strict-aliasing",  # kernels read float arrays as uint4
    # Lanes are matched by their call sites (scheduler.cpp): these flags keep one per call in the source.
    "-fno-omit-frame-pointer",
    "-fconvergent-functions",
    *("-mllvm", "-enable-tail-merge=false"),
    *("-mllvm", "-tail-dup-placement=false"),
    *("-mllvm", "-disable-tail-duplicate"),
    *("-mllvm", "-disable-early-taildup"),
    "-w",
)
_MESSAGE_FLAGS = ("-fdiagnostics-color=never", "-ferror-limit=20", "-fno-crash-diagnostics")
_INSTANTIATE = "-fpch-instantiate-templates"
_PRECOMPILING_FLAGS = (_INSTANTIATE, "-fpch-codegen", "-x", "c++-header")
# torch's inline functions, compiled once. -O1 would take 43 s instead of 8 s, and extensions would not be faster: what
# they inline is compiled with them at -O3.
_HEADER_OBJECT_FLAGS = ("-O0", "-ffunction-sections", "-fdata-sections")
# C++20's modules merge functions by name and types: the last flag keeps those of the host and of the device apart.
_GFX942_PRECOMPILED_FLAGS = (_INSTANTIATE, "-Xclang", "-fno-cxx-modules")
_GFX942_FLAGS = (
    *("-x", "hip", "--offload-arch=gfx942", "--offload-device-only", "--no-gpu-bundle-output", "--rocm-path=/usr"),
    *("-std=c++20", "-O3", "-w", "-Rpass-analysis=kernel-resource-usage"),
    *("-DTORCH_EXTENSION_NAME=candidate", "-DHIP_ENABLE_WARP_SYNC_BUILTINS"),
)
# Exporting more than the entry would let two extensions share functions, and would keep unused code.
EXPORTS = "{ global: PyInit_*; local: *; };\n"
_RUNTIME_EXPORTS = EXPORTS.replace(
    "PyInit_*;", "PyInit_*; hipcpu_attach; hipcpu_launched; hipcpu_order; hipcpu_ran; hipcpu_unasked;"
)


@dataclass(frozen=True, slots=True)
class HipToolchain:
    """The parameters of a build in the sandbox; evaluator/inside/hip_cpu gets them as a dict."""

    root: Path
    key: str
    kind: Literal["cpu"]
    allocator: Path  # a library that adds red zones around torch's tensors
    reference: Path  # what every extension uses (inside/hip_cpu/uses.py)
    clang: Path
    demangler: Path
    disassembler: Path
    cpu_flags: tuple[str, ...]
    precompiled: tuple[str, ...]  # compile against the precompiled header ...
    whole_header: tuple[str, ...]  # ... or against all of torch/extension.h
    objects: tuple[Path, ...]
    link_flags: tuple[str, ...]
    torch_include: Path
    gfx942_available: bool
    gfx942_reason: str
    gfx942_flags: tuple[str, ...]
    gfx942_headers: tuple[tuple[Path, ...], ...]  # include folders, for one attempt after another
    gfx942_precompiled: tuple[str, ...]  # beside the first of them, for sources that a precompiled header fits
    names: tuple[tuple[str, str], ...]  # replaces a host path in messages
    readable: tuple[Path, ...]  # paths that a sandbox mounts read-only, besides /usr

    @property
    def summary(self) -> str:
        """Describe the toolchain in a line."""
        targets = "gfx942 and gfx950 are"
        target = f"{targets} checked" if self.gfx942_available else f"{targets} not checked: {self.gfx942_reason}"
        return f"{self.clang}; {target}"

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters as JSON values."""
        fields: dict[str, Any] = json.loads(json.dumps(asdict(self), default=str))
        return fields


def prepared(state: Path) -> bool:
    """Return whether this host is already prepared."""
    return (state.resolve() / "hip" / _key(find_host()) / "ready").exists()


def prepare(state: Path, *, device_only: bool = False) -> HipToolchain:
    """Return the toolchain of this host; build it below `state` if needed.

    `device_only`: only compile for gfx942, on a host that runs kernels on its own card.
    Raises HipUnavailable if packages are missing.
    """
    host = find_host()
    key = _key(host) + ("-gfx942" if device_only else "")
    root = state.resolve() / "hip" / key
    toolchain = _describe(host, key, root)
    ready = root / "ready"
    if not ready.exists():
        root.parent.mkdir(parents=True, exist_ok=True)
        with locked(root.with_suffix(".lock")):
            if not ready.exists():
                _build(host, toolchain, root, device_only)
                ready.touch()
    return toolchain


def _key(host: HostTools) -> str:
    headers = [(path.relative_to(SOURCES).as_posix(), _digest(path)) for path in _sources()]
    content = [
        asdict(host),
        [importlib.metadata.version(package) for package in ("torch", "triton")],
        host.torch_include.stat().st_ctime_ns,  # files of a new installation are others to a precompiled header
        [_CPU_FLAGS, _MESSAGE_FLAGS, _PRECOMPILING_FLAGS, _HEADER_OBJECT_FLAGS],
        [_GFX942_FLAGS, _GFX942_PRECOMPILED_FLAGS],
        [_RUNTIME_EXPORTS, ROCM_HEADERS],
        headers,
    ]
    return hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest()[:16]


def _sources() -> list[Path]:
    headers = (path for folder in HEADER_FOLDERS for path in (SOURCES / folder).rglob("*") if path.is_file())
    return sorted([*headers, SOURCES / ALLOCATOR, REFERENCE])


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _describe(host: HostTools, key: str, root: Path) -> HipToolchain:
    include = root / "include"
    torch = (host.torch_include, host.torch_include / "torch/csrc/api/include", host.python_include)
    system = tuple(f"-isystem{path}" for path in torch)
    hip = (f"-I{include / 'cpu'}", f"-I{include / 'both'}", *system)
    light = (f"-I{include / 'cpu/light'}", *hip)
    device = (host.triton_hip_include, include / "both", include / "gfx942")
    return HipToolchain(
        root=root,
        key=key,
        kind="cpu",
        allocator=root / "allocator.so",
        reference=root / "reference.json",
        clang=host.clang,
        demangler=host.demangler,
        disassembler=host.disassembler,
        cpu_flags=(*_CPU_FLAGS, *_MESSAGE_FLAGS),
        precompiled=(*light, _INSTANTIATE, "-include-pch", str(root / "prelude.pch")),
        whole_header=(*hip, "-include", str(include / "cpu/prelude.h")),
        objects=(root / "prelude.o", *(root / f"{part}.o" for part in RUNTIME)),
        link_flags=_link_flags(host, root),
        torch_include=host.torch_include,
        gfx942_available=not host.gfx942_lacks,
        gfx942_reason=host.gfx942_lacks,
        gfx942_flags=(*_GFX942_FLAGS, *_MESSAGE_FLAGS, f"--rocm-device-lib-path={root / 'bitcode'}", *system),
        gfx942_headers=((include / "gfx942/core", *device), (include / "gfx942/lite", *device), device),
        gfx942_precompiled=(*_GFX942_PRECOMPILED_FLAGS, *_to_cc1("-include-pch", str(root / GFX942_HEADER))),
        names=_names(host, root),
        readable=(root, host.torch_include, host.torch_libraries, host.triton_hip_include, host.python_include),
    )


def _names(host: HostTools, root: Path) -> tuple[tuple[str, str], ...]:
    folders = {
        root / "include": "<hip>",
        root: "<toolchain>",
        host.torch_include: "<torch>",
        host.torch_libraries: "<torch libraries>",
        host.triton_hip_include: "<hip headers>",
        host.python_include: "<python>",
    }
    return tuple((str(folder), name) for folder, name in folders.items())


def _link_flags(host: HostTools, root: Path) -> tuple[str, ...]:
    libraries = ("-lc10", "-ltorch_cpu", "-ltorch", "-ltorch_python")
    # Unused sections are dropped: otherwise the precompiled header would need symbols that libtorch lacks.
    linker = (f"-fuse-ld={host.lld}", "-Wl,--gc-sections", f"-Wl,--version-script={root / 'exports.map'}", "-Wl,-s")
    return (*linker, f"-L{host.torch_libraries}", *libraries)


def _build(host: HostTools, toolchain: HipToolchain, root: Path, device_only: bool) -> None:
    """Build in `root`, the final path, since a precompiled header contains the paths of its parts."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    _copy_headers(root / "include")
    (root / "exports.map").write_text(_RUNTIME_EXPORTS)
    if not device_only:
        _compile_objects(toolchain, root)
        _compile_allocator(host, toolchain)
        _compile_reference(toolchain)
    if toolchain.gfx942_available:
        _collect_device_libraries(host, root / "bitcode")
        with suppress(subprocess.CalledProcessError):  # a source is compiled without the header where it is missing
            _precompile_for_gfx942(toolchain, root)
    for path in root.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)  # the sandbox reads it as another user


def _copy_headers(include: Path) -> None:
    for folder in HEADER_FOLDERS:
        shutil.copytree(SOURCES / folder, include / folder)
    for name in ROCM_HEADERS:
        header = include / "both" / name
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text("#pragma once\n#include <hipstream.h>\n")


def _compile_objects(toolchain: HipToolchain, root: Path) -> None:
    includes = [flag for flag in toolchain.precompiled if flag.startswith("-I") or flag.startswith("-isystem")]
    compiler = [str(toolchain.clang), *toolchain.cpu_flags, *includes]
    cpu, header = root / "include/cpu", root / "prelude.pch"
    for part in RUNTIME:
        _run([*compiler, "-c", str(cpu / f"runtime/{part}.cpp"), "-o", str(root / f"{part}.o")])
    _run([*compiler, *_PRECOMPILING_FLAGS, str(cpu / "prelude.h"), "-o", str(header)])
    _run([*compiler, *_HEADER_OBJECT_FLAGS, "-c", str(header), "-o", str(root / "prelude.o")])


def _precompile_for_gfx942(toolchain: HipToolchain, root: Path) -> None:
    folders = [f"-I{folder}" for folder in toolchain.gfx942_headers[0]]
    command = [str(toolchain.clang), *toolchain.gfx942_flags, *_GFX942_PRECOMPILED_FLAGS, *folders, "-fsyntax-only"]
    output = _to_cc1("-emit-pch", "-o", str(root / GFX942_HEADER))
    _run([*command, *output, str(root / "include/gfx942/prelude.h")])


def _to_cc1(*flags: str) -> list[str]:
    """Return the flags as the driver hands them on to the compiler itself, whatever it thinks of them for HIP."""
    return [word for flag in flags for word in ("-Xclang", flag)]


def _compile_allocator(host: HostTools, toolchain: HipToolchain) -> None:
    flags = ["-std=c++20", "-fPIC", "-O2", "-w", "-shared", f"-isystem{host.torch_include}"]
    libraries = [f"-fuse-ld={host.lld}", f"-L{host.torch_libraries}", "-lc10"]
    _run([str(host.clang), *flags, str(SOURCES / ALLOCATOR), "-o", str(toolchain.allocator), *libraries])


def _compile_reference(toolchain: HipToolchain) -> None:
    with temporary_folder("toolchain") as folder:
        build_reference(REFERENCE, MODULE_NAME, folder, toolchain.as_dict())


def _collect_device_libraries(host: HostTools, bitcode: Path) -> None:
    """Copy the device libraries and add gfx942's version file, which Debian 12 lacks (it knows gfx940 only)."""
    assert host.bitcode is not None
    shutil.copytree(host.bitcode, bitcode)
    version = bitcode / "oclc_isa_version_942.bc"
    if not version.exists():
        _run([str(host.assembler), str(SOURCES / "gfx942/isa942.ll"), "-o", str(version)])


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"})
