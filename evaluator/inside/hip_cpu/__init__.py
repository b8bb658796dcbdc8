"""HIP on a CPU host: build a .hip file for the CPU's fiber runtime, and report what it becomes on AMD's targets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypedDict

from evaluator.inside.hip_cpu.build import CpuBuild, build_cpu
from evaluator.inside.hip_cpu.features import unsupported_features
from evaluator.inside.hip_cpu.gate import Gfx942, gate_targets
from evaluator.inside.hip_cpu.gfx950 import Gfx950
from evaluator.inside.hip_cpu.masking import read_source

MODULE_NAME = "candidate"
FOLDER = "hip_build"  # in the workspace


class Builds(TypedDict):
    native: CpuBuild  # for this host's device; `product` is relative to the workspace
    gfx942: Gfx942
    gfx950: Gfx950
    unsupported: list[str]
    not_portable: list[str]  # where the source assumes another wave size than the device's


def build_both(source: Path, workspace: Path, toolchain: dict[str, Any], limit_s: float) -> Builds:
    """Build `source` for this processor and for AMD's targets in parallel, in a folder of the workspace."""
    folder = workspace.resolve() / FOLDER
    folder.mkdir(exist_ok=True)
    unsupported = unsupported_features(read_source(source))
    with ThreadPoolExecutor(max_workers=1) as pool:
        building = pool.submit(build_cpu, source, MODULE_NAME, folder, toolchain, limit_s)
        # A source that fails for both is wrong itself; larger headers would not help.
        targets = gate_targets(source, folder, toolchain, limit_s, lambda: bool(unsupported) or building.result()["ok"])
        cpu = building.result()
    if "product" in cpu:
        cpu["product"] = f"{FOLDER}/{Path(cpu['product']).name}"
    return {
        "native": cpu,
        "gfx942": targets.gfx942,
        "gfx950": targets.gfx950,
        "unsupported": unsupported,
        "not_portable": [],
    }
