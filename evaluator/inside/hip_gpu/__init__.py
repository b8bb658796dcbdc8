"""HIP on a GPU host: build a .hip file for the card with nvcc or hipcc, and for gfx942 for the ISA report."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from evaluator.inside.hip_cpu import FOLDER, MODULE_NAME, Builds
from evaluator.inside.hip_cpu.gate import gate_gfx942
from evaluator.inside.hip_cpu.masking import read_source
from evaluator.inside.hip_gpu.build import build_gpu
from evaluator.inside.hip_gpu.features import unsupported_on_nvidia
from evaluator.inside.hip_gpu.waves import counts_on_64_lanes


def build_for_gpu(source: Path, workspace: Path, toolchain: dict[str, Any], limit_s: float) -> Builds:
    """Build `source` for this host's card and, if its toolchain exists, for gfx942, in parallel."""
    folder = workspace.resolve() / FOLDER
    folder.mkdir(exist_ok=True)
    text = read_source(source)
    nvidia = toolchain["kind"] == "cuda"
    unsupported = unsupported_on_nvidia(text) if nvidia else []
    with ThreadPoolExecutor(max_workers=1) as pool:
        building = pool.submit(build_gpu, source, MODULE_NAME, folder, toolchain, limit_s)
        gfx942 = gate_gfx942(source, folder, toolchain, limit_s, lambda: bool(unsupported) or building.result()["ok"])
        native = building.result()
    if "product" in native:
        native["product"] = f"{FOLDER}/{Path(native['product']).name}"
    return {
        "native": native,
        "gfx942": gfx942,
        "unsupported": unsupported,
        "not_portable": counts_on_64_lanes(text) if nvidia else [],
    }
