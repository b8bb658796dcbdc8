"""Build the bench against this host's torch, once for each torch and compiler: about half a minute."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

from evaluator.errors import HostError
from evaluator.state import replacing

Api = Literal["cuda", "hip", "none"]
FOLDER = Path(__file__).parent
SHARED = FOLDER.parent / "inside" / "gpu"  # what the kernels include too
COMPILERS = ("g++", "clang++", "clang++-19")  # HIP on a CPU needs the last one too
SOURCES = ("processor.cpp", "gpu.cpp", "case.cpp", "bench.cpp")
NAME = "arena_bench.so"
FLAGS = ("-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-w")
EXPORTS = "{ global: PyInit_arena_bench; local: *; };\n"
LIBRARIES = ("-ltorch_python", "-ltorch_cpu", "-ltorch", "-lc10")


def build_bench(state: Path, api: Api) -> Path:
    """Return the library below `state`, built if it is not there yet. `api` names the driver's functions it calls.

    Raises:
        HostError: a C++ compiler or Python's headers are missing, or it does not compile.
    """
    compiler = find_compiler()
    include = Path(sysconfig.get_paths()["include"])
    if compiler is None or not (include / "Python.h").exists():
        raise HostError("timing needs these packages: apt-get install -y --no-install-recommends g++ python3-dev")
    library = state.resolve() / "bench" / _key(compiler, api) / NAME
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        with (library.parent / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not library.exists():
                _build(compiler, include, api, library)
    return library


def find_compiler() -> str | None:
    """Return the path of a C++ compiler, if there is one."""
    return next(filter(None, map(shutil.which, COMPILERS)), None)


def _key(compiler: str, api: Api) -> str:
    import torch

    files = (*sorted(FOLDER.glob("*.h")), *sorted(FOLDER.glob("*.cpp")), *sorted(SHARED.glob("*.h")))
    sources = [path.read_text(encoding="utf-8") for path in files]
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    host = [torch.__version__, torch.__file__, sys.version, platform.machine(), version, api]
    return hashlib.sha256("\0".join([*host, *FLAGS, *LIBRARIES, EXPORTS, *sources]).encode()).hexdigest()[:16]


def _build(compiler: str, include: Path, api: Api, library: Path) -> None:
    import torch

    sys.stderr.write("building the bench against this host's torch, once: about half a minute ...\n")
    folder, headers = library.parent, Path(torch.__file__).parent / "include"
    places = (headers, headers / "torch/csrc/api/include", include, SHARED)
    system = [word for path in places for word in ("-isystem", str(path))]
    names = ["-DARENA_HIP"] if api == "hip" else []

    def compiled(source: str) -> str:
        target = str(folder / f"{source}.{os.getpid()}.o")
        _run([compiler, *FLAGS, *names, *system, "-c", str(FOLDER / source), "-o", target])
        return target

    with ThreadPoolExecutor(len(SOURCES)) as pool:
        objects = list(pool.map(compiled, SOURCES))
    exports, temporary = folder / "exports.map", folder / f"{NAME}.{os.getpid()}"
    exports.write_text(EXPORTS)
    linker = ["-fuse-ld=lld"] if "clang" in compiler else []
    link = [*linker, f"-L{headers.parent / 'lib'}", *LIBRARIES, "-ldl", f"-Wl,--version-script={exports}", "-Wl,-s"]
    _run([compiler, "-shared", *objects, *link, "-o", str(temporary)])
    folder.chmod(0o755)  # workers are other users
    with replacing(library) as file:
        file.write(temporary.read_bytes())
        os.fchmod(file.fileno(), 0o755)
    for path in (*map(Path, objects), temporary):
        path.unlink()


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise HostError(f"the bench does not compile: {done.stderr.strip()[-500:]}")
