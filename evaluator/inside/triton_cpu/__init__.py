"""Triton on a CPU host: each launch is compiled for AMD's targets and interpreted on the CPU.

Call `install()` once per process before the candidate is imported; a zygote also calls `preheat()`, so that its
children compile fast. For each launch, launch.py binds it; inside/isa compiles a new specialisation and reads its
resources; interpret.py runs the programs. There rewrite.py turns a kernel's source into Python, language.py replaces
functions of triton.language, and builder.py (memory.py on narrow.py on numerics.py) computes.
"""

from __future__ import annotations

import triton

from evaluator.inside.triton_cpu.errors import (
    CompileFailed,
    DeviceAssertFailed,
    OutOfBounds,
    TritonChanged,
    UnsupportedFeature,
)

try:
    from evaluator.inside.isa.compiler import preheat
    from evaluator.inside.triton_cpu.install import install
    from evaluator.inside.triton_cpu.launch import InterpretedLaunches
    from evaluator.inside.triton_cpu.written import Written
except (ImportError, AttributeError) as error:
    raise TritonChanged(f"triton {triton.__version__} is not supported; use 3.6 to 3.9: {error}") from error

__all__ = [
    "CompileFailed",
    "DeviceAssertFailed",
    "InterpretedLaunches",
    "OutOfBounds",
    "TritonChanged",
    "UnsupportedFeature",
    "Written",
    "install",
    "preheat",
]
