"""Properties of the GPU that a CPU host emulates, an MI300X in SPX mode; kernels choose their sizes by them."""

from __future__ import annotations

from evaluator.inside.isa import targets

NAME = "AMD Instinct MI300X"
ARCHITECTURE = targets.GFX942.arch
COMPUTE_UNITS = 304
WAVE = targets.WAVE
WORKGROUP_THREADS = targets.WORKGROUP_THREADS
COMPUTE_UNIT_THREADS = 2_048
LDS_BYTES = targets.GFX942.lds_bytes  # of one workgroup
REGISTERS = 131_072  # 32-bit vector registers of one compute unit's SIMD
L2_BYTES = 4 << 20
MEMORY_BYTES = 192 << 30
CLOCK_KHZ = 2_100_000
MEMORY_CLOCK_KHZ = 1_300_000
MEMORY_BUS_BITS = 8_192
CAPABILITY = (9, 4)
HIP_VERSION = "7.1.25424"  # of the headers in the Triton wheel
