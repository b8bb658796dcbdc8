"""A checkout with one task of ours, whose runner imports the source and can misbehave in many ways."""

from __future__ import annotations

from pathlib import Path

from evaluator.mounted.checkout import MountedTask, load_mounted

ID = "triton2triton/tests/scale"
CONFIG = """
task_type: triton2triton
source_file_path: [source/kernel.py]
target_kernel_functions: [scale]
compile_command: [python3 scripts/task_runner.py compile]
correctness_command: [python3 scripts/task_runner.py correctness]
performance_command: [python3 scripts/task_runner.py performance]
task_result_template: null
"""
RUNNER = """
import json, os, sys
sys.path.insert(0, "source")
import kernel
os.makedirs("build", exist_ok=True)
if sys.argv[1] == "performance":
    with open("build/performance_report.json", "w") as file:
        json.dump([{"test_case_id": "perf1", "execution_time_ms": 2.0 * kernel.COST, "params": {"n": 8},
                    "dtype": kernel.DTYPE, "benchmark_method": kernel.METHOD}], file)
if sys.argv[1] == "correctness":
    print("Correctness: PASS" if kernel.scale(3) == 6 else "Correctness: FAIL")
    sys.exit(0 if kernel.scale(3) == 6 else 1)
"""
SOURCE = """
import os, sys
COST, DTYPE, METHOD = 1.0, "float16", "cuda_graph"
def scale(x):
    return 2 * x
"""
STALE = '[{"test_case_id": "perf1", "execution_time_ms": 0.001}]'
FILES = {"config.yaml": CONFIG, "scripts/task_runner.py": RUNNER, "source/kernel.py": SOURCE}


def checkout(folder: Path, task_id: str = ID, **files: str) -> Path:
    """Write a checkout; `files` (with __ for / and _dot_ for .) replace or add to the task's own."""
    own = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    for name, text in {**FILES, "build/performance_report.json": STALE, **own}.items():
        path = folder / "tasks" / task_id / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def task(folder: Path, **files: str) -> MountedTask:
    return load_mounted(checkout(folder, **files), ID)
