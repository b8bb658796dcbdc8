"""The AMD GPUs that kernels are compiled for, and the limits of their workgroups."""

from __future__ import annotations

from dataclasses import dataclass

WAVE = 64
WORKGROUP_THREADS = 1_024
SIMDS = 4  # per compute unit
NOT_IN_TIME = "not compiled after"  # begins the error of a compilation that ran out of time


@dataclass(frozen=True, slots=True)
class Target:
    """A GPU architecture. A workgroup may use all the LDS of its compute unit."""

    arch: str
    lds_bytes: int


GFX942 = Target("gfx942", 64 << 10)  # MI300X
GFX950 = Target("gfx950", 160 << 10)  # MI355X
TARGETS = (GFX942, GFX950)
