"""Generate hip_cuda_names.h: the HIP runtime's names as macros for CUDA's, from torch's tables and CUDA's headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

HEADERS = (
    *("cuda_runtime_api.h", "cuda_runtime.h", "driver_types.h", "device_types.h", "library_types.h"),
    *("texture_types.h", "surface_types.h", "channel_descriptor.h"),
)
# Where two names of CUDA have the same name in HIP: the one whose parameters match.
CHOSEN = {"hipHostMalloc": "cudaMallocHost", "hipHostFree": "cudaFreeHost", "hipError_t": "cudaError_t"}
_NAME = re.compile(r"\bcuda[A-Z]\w*")


def names_header(include: Path) -> str:
    """Return the header's text, with only those names that the CUDA headers in `include` have."""
    paths = [include / header for header in HEADERS if (include / header).is_file()]
    known = {name for path in paths for name in _NAME.findall(path.read_text(encoding="utf-8", errors="replace"))}
    pairs = {"hip" + name.removeprefix("cuda"): name for name in known}
    for hip, cuda in _irregular(known):
        pairs.setdefault(hip, cuda)
    pairs |= {hip: cuda for hip, cuda in CHOSEN.items() if cuda in known}
    return "#pragma once\n" + "".join(f"#define {hip} {cuda}\n" for hip, cuda in sorted(pairs.items()))


def _irregular(known: set[str]) -> Iterator[tuple[str, str]]:
    """Yield names that differ in more than the prefix, from torch's tables for translating its own sources."""
    from torch.utils.hipify import cuda_to_hip_mappings as tables

    for table in (tables.CUDA_TYPE_NAME_MAP, tables.CUDA_IDENTIFIER_MAP):
        for cuda, value in table.items():
            hip = value if isinstance(value, str) else value[0]  # older versions of torch have tuples
            if cuda in known and re.fullmatch(r"hip\w+", hip):
                yield hip, cuda
