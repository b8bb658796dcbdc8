"""Triton on a host without a GPU: each launch is compiled for AMD's targets and interpreted on the CPU.

`install()` once in a process, before the candidate is imported; a zygote whose children are to compile fast calls
`preheat()`. The walk of a launch: launch.py binds it; inside/isa compiles a new specialisation and reads what the code
needs; interpret.py runs the programs: rewrite.py makes Python of a kernel's source, language.py gives triton.language
its meaning there, builder.py (memory.py on narrow.py on numerics.py) computes.
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
except (ImportError, AttributeError) as error:
    raise TritonChanged(
        f"triton {triton.__version__} is not one of 3.6 to 3.9, for which this is made: {error}"
    ) from error

__all__ = [
    "CompileFailed",
    "DeviceAssertFailed",
    "InterpretedLaunches",
    "OutOfBounds",
    "TritonChanged",
    "UnsupportedFeature",
    "install",
    "preheat",
]
