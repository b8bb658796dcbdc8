"""The backend cpu without its compiler for gfx942, which takes most of a HIP build's seconds.

For sources whose verdict does not depend on it; honest candidates and the tasks' own are compiled for both.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from evaluator.backends.cpu import CpuBackend
from evaluator.hip.prepare import HipToolchain


class NativeBackend(CpuBackend):
    @functools.cached_property
    def toolchain(self) -> HipToolchain:
        both = super().toolchain
        return replace(both, key=f"{both.key}-native", gfx942_available=False, gfx942_reason="left out by a test")
