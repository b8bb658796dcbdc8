"""Code size and number of matrix instructions of a gfx942 binary, which the compiler's remarks do not show."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from evaluator.inside.isa.resources import MATRIX_INSTRUCTION

_SYMBOL = re.compile(r"^[0-9a-f]+ .{7} \.text\s+([0-9a-f]+) (?:\.\w+ )?(\S+)$", re.MULTILINE)
_LABEL = re.compile(r"^<(\S+)>:$", re.MULTILINE)


def code_of(binary: Path, disassembler: str) -> dict[str, dict[str, int]]:
    """Return `code_bytes` and `mfma` of every function, by its name in the binary."""
    command = [disassembler, "--syms", "-d", "--no-show-raw-insn", "--no-leading-addr", str(binary)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    _, *parts = _LABEL.split(text)
    matrix = {name: len(MATRIX_INSTRUCTION.findall(body)) for name, body in zip(parts[::2], parts[1::2], strict=True)}
    sizes = {name: int(size, 16) for size, name in _SYMBOL.findall(text)}
    return {name: {"code_bytes": size, "mfma": matrix.get(name, 0)} for name, size in sizes.items()}
