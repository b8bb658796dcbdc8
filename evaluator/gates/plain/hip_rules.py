"""The rules for .hip sources."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evaluator.gates.plain.found import SourceFinding

NATIVE_TEXT = {
    r"\b(dlopen|dlsym|mprotect|mmap|syscall)\s*\(": "native_calls",
    r"\b(ptrace|process_vm_\w+)\s*\(|/proc/|\.incbin": "looks_around",
    r"\b(fork|vfork|execve?|system|popen|posix_spawnp?)\s*\(": "own_processes",
}


def read_hip(text: str) -> Iterator[SourceFinding]:
    """Yield what a .hip source uses."""
    for pattern, rule in NATIVE_TEXT.items():
        for found in re.finditer(pattern, text):
            yield SourceFinding(text.count("\n", 0, found.start()) + 1, rule, found.group())
