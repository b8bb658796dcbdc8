"""Facts of the host that every backend reports: processor, system, versions."""

from __future__ import annotations

import platform
import sys
from pathlib import Path


def software_facts() -> dict[str, str]:
    import torch
    import triton

    return {
        "processor": _processor(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "triton": triton.__version__,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or sys.platform
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
