"""What the object file of a source leaves open, and the system calls in its code."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

_SYMBOL_TABLES, _UNDEFINED = (2, 11), 0  # SHT_SYMTAB and SHT_DYNSYM; SHN_UNDEF
_SECTION, _SYMBOL = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")
_SYSTEM_CALL = re.compile(r"^.*\t(syscall|sysenter|svc\b.*|int\s+\$?(?:0x80|128))\s*(?:[#<].*)?$", re.MULTILINE)


def open_names(product: bytes) -> list[str]:
    """Return the undefined names in all symbol tables of a 64-bit ELF file, sorted.

    Raises:
        ValueError: the file cannot be read.
    """
    try:
        return sorted(set(_open_names(product)))
    except (struct.error, IndexError) as error:
        raise ValueError(f"not an object file: {error}") from error


def _open_names(product: bytes) -> Iterator[str]:
    if product[:5] != b"\x7fELF\x02":
        raise ValueError("not an object file of 64 bits")
    (first,), (size, count) = struct.unpack_from("<Q", product, 0x28), struct.unpack_from("<HH", product, 0x3A)
    sections = [_SECTION.unpack_from(product, first + index * size) for index in range(count)]
    tables = [section for section in sections if section[1] in _SYMBOL_TABLES]
    if not tables:
        raise ValueError("an object file without symbols")
    for _, _, _, _, offset, length, texts, *_ in tables:
        begin = sections[texts][4]
        for name, _, _, section, _, _ in _SYMBOL.iter_unpack(product[offset : offset + length]):
            if section == _UNDEFINED and name:
                end = product.index(b"\0", begin + name)
                yield product[begin + name : end].decode("ascii", "replace")


def system_calls(product: Path, toolchain: Mapping[str, Any]) -> list[str]:
    """Return the instructions of an object file that call the kernel of the operating system.

    Raises:
        OSError, subprocess.SubprocessError: there is no disassembler, or it failed.
    """
    done = subprocess.run(
        [_tool(toolchain, "disassembler", "objdump"), "-d", "--no-show-raw-insn", str(product)],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return sorted({found[1].strip() for found in _SYSTEM_CALL.finditer(done.stdout)})


def demangled(names: Collection[str], toolchain: Mapping[str, Any]) -> dict[str, str]:
    """Return every name as a person writes it.

    Raises:
        OSError, subprocess.SubprocessError: there is no demangler, or it failed.
        ValueError: it did not answer line by line.
    """
    ordered = sorted(names)
    if not ordered:
        return {}
    tool = _tool(toolchain, "demangler", "c++filt")
    done = subprocess.run([tool], input="\n".join(ordered), capture_output=True, text=True, check=True, timeout=60)
    return dict(zip(ordered, done.stdout.splitlines(), strict=True))


def _tool(toolchain: Mapping[str, Any], name: str, otherwise: str) -> str:
    """Return LLVM's program if the toolchain has it, else that of the system."""
    own = toolchain.get(name)
    found = own if own and Path(own).exists() else shutil.which(otherwise)
    if found is None:
        raise FileNotFoundError(f"no {otherwise}")
    return str(found)
