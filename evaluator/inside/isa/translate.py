"""Translate LLVM IR of one AMD target to another one's assembly: a program of its own, since LLVM may end its process.

usage: translate.py LIBTRITON FROM TO SOURCE.ll TARGET.s

It loads Triton's LLVM without Triton, which takes 0.1 s instead of 1 s, and imports nothing of ours.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

TRIPLE = "amdgcn-amd-amdhsa"
# Clang 19's word for a kernel without accumulation registers, and its successor's. Without it a kernel's registers are
# split in two halves, and tests/evaluator/hip/spill.hip spills 193 instead of 178.
_NO_AGPR, _NO_AGPR_NOW = '"amdgpu-no-agpr"', '"amdgpu-agpr-alloc"="0"'
_FEATURES = re.compile(r' "target-features"="[^"]*"')  # those of the other target, by the names of another LLVM


def main(library: str, source_arch: str, arch: str, source: str, target: str) -> None:
    code = retargeted(Path(source).read_text(encoding="utf-8"), source_arch, arch)
    llvm = _llvm_of(library)
    llvm.init_targets()
    Path(target).write_text(llvm.translate_to_asm(code, TRIPLE, arch, "", [], False, False), encoding="utf-8")


def retargeted(code: str, source_arch: str, arch: str) -> str:
    code = _FEATURES.sub("", code).replace(_NO_AGPR, _NO_AGPR_NOW)
    return code.replace(f'"target-cpu"="{source_arch}"', f'"target-cpu"="{arch}"')


def _llvm_of(library: str) -> Any:
    spec = importlib.util.spec_from_file_location("libtriton", library)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.llvm


if __name__ == "__main__":
    main(*sys.argv[1:])
