"""HIP on a GPU host: build a .hip file for the card with nvcc or hipcc, and report what it becomes on AMD's targets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from evaluator.inside.hip_cpu import FOLDER, MODULE_NAME, Builds
from evaluator.inside.hip_cpu.gate import gate_targets
from evaluator.inside.hip_cpu.masking import read_source
from evaluator.inside.hip_gpu.build import build_gpu
from evaluator.inside.hip_gpu.features import unsupported_on_nvidia
from evaluator.inside.hip_gpu.waves import counts_on_64_lanes


def build_for_gpu(source: Path, workspace: Path, toolchain: dict[str, Any], limit_s: float) -> Builds:
    """Build `source` for this host's card and, if their toolchain exists, for AMD's targets, in parallel."""
    folder = workspace.resolve() / FOLDER
    folder.mkdir(exist_ok=True)
    text = read_source(source)
    nvidia = toolchain["kind"] == "cuda"
    unsupported = unsupported_on_nvidia(text) if nvidia else []
    with ThreadPoolExecutor(max_workers=1) as pool:
        building = pool.submit(build_gpu, source, MODULE_NAME, folder, toolchain, limit_s)
        targets = gate_targets(source, folder, toolchain, limit_s, lambda: bool(unsupported) or building.result()["ok"])
        native = building.result()
    if "product" in native:
        native["product"] = f"{FOLDER}/{Path(native['product']).name}"
    return {
        "native": native,
        "gfx942": targets.gfx942,
        "gfx950": targets.gfx950,
        "unsupported": unsupported,
        "not_portable": counts_on_64_lanes(text) if nvidia else [],
    }
