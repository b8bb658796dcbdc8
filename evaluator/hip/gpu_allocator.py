"""Build gpu_allocator.cpp, the red zones of device memory, for the runtime that torch has loaded."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Literal

from evaluator.inside.excerpts import excerpt

SOURCE = Path(__file__).with_name("gpu_allocator.cpp")
FLAGS = ("-std=c++17", "-O2", "-fPIC", "-shared")


def build_allocator(state: Path, api: Literal["cuda", "hip"], runtime: Path) -> tuple[Path | None, str]:
    """Return the library and "on", or None and the reason why this host has no red zones.

    `runtime` is the path of libcudart or libamdhip64; linked by path, the loader uses the one already loaded.
    """
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        return None, "off: no C++ compiler, install g++"
    key = hashlib.sha256("\0".join([SOURCE.read_text(), *FLAGS, compiler, str(runtime)]).encode()).hexdigest()[:16]
    library = state.resolve() / "gpu_allocator" / key / "allocator.so"
    if library.exists():
        return library, "on"
    library.parent.mkdir(parents=True, exist_ok=True)
    temporary = library.with_suffix(f".{os.getpid()}")
    command = [compiler, *FLAGS, f"-DARENA_API={api}", str(SOURCE), "-o", str(temporary), str(runtime)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, f"off: {excerpt(done.stderr.strip(), 600)}"
    for path, mode in ((temporary, 0o755), (library.parent, 0o755)):
        path.chmod(mode)  # workers are other users
    temporary.replace(library)
    return library, "on"
