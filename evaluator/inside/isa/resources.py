"""Resource usage of a compiled kernel, from its assembly and Triton's metadata."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluator.inside.isa.targets import SIMDS, WAVE, WORKGROUP_THREADS, Target

MATRIX_INSTRUCTION = re.compile(r"^\s+v_s?mfma", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Resources:
    """Registers per lane; scratch per lane and LDS per workgroup; `occupancy` in waves per SIMD."""

    vgpr: int
    agpr: int
    sgpr: int
    lds_bytes: int
    scratch_bytes: int
    vgpr_spills: int
    sgpr_spills: int
    occupancy: int
    mfma: int
    code_bytes: int
    num_warps: int
    num_stages: int

    @property
    def spills(self) -> int:
        return self.vgpr_spills + self.sgpr_spills


def read_resources(assembly: str, metadata: object, target: Target) -> Resources:
    """Read the resources. LDS is requested at launch, so its size and the number of waves are in the metadata."""
    lds_bytes, num_warps = (int(getattr(metadata, name)) for name in ("shared", "num_warps"))
    return Resources(
        vgpr=_number(assembly, r"\.vgpr_count:\s+(\d+)"),
        agpr=_number(assembly, r"\.agpr_count:\s+(\d+)"),
        sgpr=_number(assembly, r"\.sgpr_count:\s+(\d+)"),
        lds_bytes=lds_bytes,
        scratch_bytes=_number(assembly, r"\.private_segment_fixed_size:\s+(\d+)"),
        vgpr_spills=_number(assembly, r"\.vgpr_spill_count:\s+(\d+)"),
        sgpr_spills=_number(assembly, r"\.sgpr_spill_count:\s+(\d+)"),
        occupancy=min(_number(assembly, r"; Occupancy: (\d+)"), waves_by_lds(lds_bytes, num_warps, target)),
        mfma=len(MATRIX_INSTRUCTION.findall(assembly)),
        code_bytes=_number(assembly, r"codeLenInByte = (\d+)"),
        num_warps=num_warps,
        num_stages=int(getattr(metadata, "num_stages", 0)),
    )


def waves_by_lds(lds_bytes: int, num_warps: int, target: Target) -> int:
    """Return how many waves a SIMD holds, limited by LDS; the compiler's occupancy considers only registers."""
    if lds_bytes == 0:
        return WORKGROUP_THREADS  # no limit
    waves = target.lds_bytes // lds_bytes * num_warps
    return -(-waves // SIMDS)


def over_limit(resources: Resources, target: Target) -> str | None:
    """Return why a kernel is too large for the device, or None: without a driver Triton accepts any size."""
    if resources.lds_bytes > target.lds_bytes:
        return f"needs {resources.lds_bytes} bytes of LDS, a workgroup has {target.lds_bytes}"
    if resources.num_warps * WAVE > WORKGROUP_THREADS:
        return f"needs {resources.num_warps * WAVE} threads, a workgroup has {WORKGROUP_THREADS}"
    return None


def _number(assembly: str, pattern: str) -> int:
    found = re.search(pattern, assembly)
    return int(found.group(1)) if found else 0
