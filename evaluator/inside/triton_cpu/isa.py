"""What a compiled kernel needs of a gfx942 compute unit, read from its assembly text and Triton's metadata."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluator.inside.mi300x import LDS_BYTES, WAVE, WORKGROUP_THREADS

MATRIX_INSTRUCTION = re.compile(r"^\s+v_s?mfma", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Resources:
    """Registers per lane, `scratch` and `lds` in bytes per lane and per workgroup, `occupancy` in waves per SIMD."""

    vgpr: int
    agpr: int
    sgpr: int
    spills: int
    scratch: int
    lds: int
    occupancy: int
    mfma: int
    code_bytes: int
    num_warps: int


def read_resources(assembly: str, lds_bytes: int, num_warps: int) -> Resources:
    """Triton asks for its LDS at launch, so that figure and the number of waves come from the metadata."""
    return Resources(
        vgpr=_number(assembly, r"\.vgpr_count:\s+(\d+)"),
        agpr=_number(assembly, r"\.agpr_count:\s+(\d+)"),
        sgpr=_number(assembly, r"\.sgpr_count:\s+(\d+)"),
        spills=_number(assembly, r"\.vgpr_spill_count:\s+(\d+)") + _number(assembly, r"\.sgpr_spill_count:\s+(\d+)"),
        scratch=_number(assembly, r"\.private_segment_fixed_size:\s+(\d+)"),
        lds=lds_bytes,
        occupancy=_number(assembly, r"; Occupancy: (\d+)"),
        mfma=len(MATRIX_INSTRUCTION.findall(assembly)),
        code_bytes=_number(assembly, r"codeLenInByte = (\d+)"),
        num_warps=num_warps,
    )


def too_large(resources: Resources) -> str | None:
    """Without a driver Triton accepts any size; a launch on the device would not."""
    if resources.lds > LDS_BYTES:
        return f"needs {resources.lds} bytes of LDS, a workgroup has {LDS_BYTES}"
    if resources.num_warps * WAVE > WORKGROUP_THREADS:
        return f"needs {resources.num_warps * WAVE} threads, a workgroup has {WORKGROUP_THREADS}"
    return None


def _number(assembly: str, pattern: str) -> int:
    found = re.search(pattern, assembly)
    return int(found.group(1)) if found else 0
