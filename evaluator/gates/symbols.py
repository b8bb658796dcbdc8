"""Labels from the symbols that a built extension imports: macros can hide a name from checks of the source text.

Names that every extension needs (from torch, pybind11, or mmap and mprotect for the runtime) have no label.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping

LABELS: Mapping[str, str] = {
    r"dlv?sym|dlm?open|syscall|clone": "native_calls",
    r"ptrace|process_vm_\w+|(f?open|openat)(64)?|opendir|_ZNSt13basic_filebufI\w+4openE\w*": "looks_around",
    r"v?fork|exec\w+|system|popen|posix_spawnp?": "own_processes",
    r"pthread_create|thrd_create|_ZNSt6thread15_M_start_thread\w*": "own_threads",
    r"k?signal|sigaction|kill|raise|setitimer|timer_create|alarm": "signals",
    r"socket|connect": "network",
    r"PyRun_\w+|PyEval_EvalCode\w*|Py_CompileString\w*|PyImport_\w+": "runs_text",
}
DYNAMIC_SYMBOLS, UNDEFINED = 11, 0  # SHT_DYNSYM, SHN_UNDEF
SECTION, SYMBOL = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")


def symbol_labels(product: bytes) -> set[str]:
    """Return labels of capabilities that no kernel needs, by undefined symbols; an unreadable file gets one too."""
    try:
        names = list(_open_names(product))
    except (struct.error, IndexError, ValueError):
        return {"native_calls"}
    return {label for name in names for pattern, label in LABELS.items() if re.fullmatch(pattern, name)}


def _open_names(product: bytes) -> Iterator[str]:
    """Yield the undefined names of all dynamic symbol tables of a 64-bit ELF file: assembly may add more tables."""
    (first,), (size, count) = struct.unpack_from("<Q", product, 0x28), struct.unpack_from("<HH", product, 0x3A)
    sections = [SECTION.unpack_from(product, first + index * size) for index in range(count)]
    for _, kind, _, _, offset, length, texts, *_ in sections:
        if kind != DYNAMIC_SYMBOLS:
            continue
        begin = sections[texts][4]
        for name, _, _, section, _, _ in SYMBOL.iter_unpack(product[offset : offset + length]):
            if section == UNDEFINED:
                end = product.index(b"\0", begin + name)
                yield product[begin + name : end].decode("ascii", "replace")
