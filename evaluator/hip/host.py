"""Find the tools for building .hip files on this host, and name missing Debian packages."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from evaluator.errors import HostError

# The tested version; clang 22 cannot read Debian's device libraries.
CLANG = "19"

# Debian 12; Debian 13, whose package is rocm-device-libs-17.
_BITCODE_PLACES = ("lib/*/amdgcn/bitcode", "lib/llvm-*/lib/clang/*/amdgcn/bitcode", "lib/clang/*/amdgcn/bitcode")


class HipUnavailable(HostError):
    """HIP sources cannot be built on this host; `packages` are the Debian packages that are missing."""

    def __init__(self, packages: list[str]) -> None:
        super().__init__(f"HIP needs these packages: apt-get install -y --no-install-recommends {' '.join(packages)}")
        self.packages = packages


@dataclass(frozen=True, slots=True)
class HostTools:
    """Programs, headers and libraries. `gfx942_lacks` is empty, or says what to install to compile for gfx942."""

    clang: Path
    clang_version: str
    lld: Path
    demangler: Path
    assembler: Path
    disassembler: Path
    bitcode: Path | None
    torch_include: Path
    torch_libraries: Path
    triton_hip_include: Path
    python_include: Path
    cpu: str
    gfx942_lacks: str


def find_host(usr: Path = Path("/usr")) -> HostTools:
    """Find the tools below `usr` and in the Python environment.

    Raises HipUnavailable if even the CPU build is impossible.
    """
    clang, lld = usr / f"bin/clang++-{CLANG}", usr / f"bin/ld.lld-{CLANG}"
    python_include = Path(sysconfig.get_paths()["include"])
    missing = _missing({clang: f"clang-{CLANG}", lld: f"lld-{CLANG}", python_include / "Python.h": "python3-dev"})
    if missing:
        raise HipUnavailable(missing)
    torch, triton = _package_folder("torch"), _package_folder("triton")
    bitcode = _bitcode(usr)
    return HostTools(
        clang=clang,
        clang_version=subprocess.run([clang, "--version"], capture_output=True, text=True, check=True).stdout,
        lld=lld,
        demangler=usr / f"bin/llvm-cxxfilt-{CLANG}",
        assembler=usr / f"bin/llvm-as-{CLANG}",
        disassembler=usr / f"bin/llvm-objdump-{CLANG}",
        bitcode=bitcode,
        torch_include=torch / "include",
        torch_libraries=torch / "lib",
        triton_hip_include=triton / "backends/amd/include",
        python_include=python_include,
        cpu=_cpu_model(),
        gfx942_lacks=_gfx942_lacks(usr, bitcode),
    )


def _gfx942_lacks(usr: Path, bitcode: Path | None) -> str:
    programs = {
        usr / f"bin/llvm-as-{CLANG}": f"llvm-{CLANG}",
        usr / f"bin/llvm-cxxfilt-{CLANG}": f"llvm-{CLANG}",
        usr / f"bin/llvm-objdump-{CLANG}": f"llvm-{CLANG}",
        usr / "include/hip/hip_fp16.h": "libamdhip64-dev",
    }
    missing = _missing(programs)
    if bitcode is None:
        missing.append(_device_libraries_package())
    return f"install {' '.join(missing)}" if missing else ""


def _missing(needed: dict[Path, str]) -> list[str]:
    return sorted({package for path, package in needed.items() if not path.exists()})


def _device_libraries_package() -> str:
    release = Path("/etc/os-release")
    version = re.search(r'^VERSION_ID="?(\d+)', release.read_text(), re.MULTILINE) if release.exists() else None
    return "rocm-device-libs" if version and int(version[1]) <= 12 else "rocm-device-libs-17"


def _bitcode(usr: Path) -> Path | None:
    found = (path for place in _BITCODE_PLACES for path in sorted(usr.glob(place)) if (path / "ocml.bc").exists())
    return next(found, None)


def _package_folder(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise HostError(f"the Python package {name} is not installed")
    return Path(spec.origin).parent


def _cpu_model() -> str:
    """Return the CPU model and flags, which decide the instructions of -march=native."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    wanted = ("model name", "flags")
    return "\n".join(next((line for line in lines if line.startswith(name)), "") for name in wanted)
