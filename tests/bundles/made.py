"""Small bundles of every format, written by hand: files by name, each a function of what a test wants changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evaluator.bundles.archives.archive import read_members
from evaluator.bundles.native.contents import bundle_of, own_files
from evaluator.bundles.parsed import Bundle
from evaluator.bundles.reading import Reading

Files = dict[str, bytes]
GELU, SILU = "hip2hip/gpumode/GELU", "hip2hip/gpumode/SiLU"
RELU, ZETA, MATMUL = "Activation/relu.py", "Math/zeta.py", "Quantization/matmul_w8a8.py"
KERNEL = b"// a kernel\n"


def read_bundle(path: Path) -> Bundle:
    """One of our own, a folder or an archive."""
    return bundle_of(Reading(own_files(read_members(path))))


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


def yaml_of(value: Any) -> bytes:
    """JSON is YAML, but for its names of what is no number; no aliases, which PyYAML would write."""
    text = json.dumps(value)
    for name, spelled in (("NaN", ".nan"), ("-Infinity", "-.inf"), ("Infinity", ".inf")):
        text = text.replace(f": {name}", f": {spelled}")
    return text.encode()


def lines(*values: Any) -> bytes:
    return b"".join(dumped(value) + b"\n" for value in values)


def aka_result(task: str = GELU, **changes: Any) -> dict[str, Any]:
    """A later-generation result: cases 2 → 1 ms and 4 → 1 ms, so a mean ratio of 3."""
    return {
        "task_name": task,
        "pass_compilation": True,
        "compilation_error_message": None,
        "pass_correctness": True,
        "correctness_error_message": None,
        "base_execution_time": 3.0,
        "best_optimized_execution_time": 1.0,
        "speedup_ratio": 3.0,
        "baseline_benchmark_methods": ["cuda_graph"],
        "optimized_benchmark_methods": ["cuda_graph"],
        "benchmark_method_consistent": True,
        "valid_baseline_cases": 2,
        "valid_optimized_cases": 2,
        "speedup_calculation_error_message": None,
        "optimization_summary": "made by hand",
        "score": 420.0,
        **changes,
    }


def aka_times(*times: Any, **changes: Any) -> dict[str, Any]:
    row = {"benchmark_method": "cuda_graph"}
    cases = [
        {"test_case_id": f"perf{index}", "execution_time_ms": time, "params": {"M": index}, **row, **changes}
        for index, time in enumerate(times, start=1)
    ]
    return {"test_cases": cases}


def aka(
    result: dict[str, Any] | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    *,
    folder: str = "workspace_MI300X_robot/run_20260101_000000/hip2hip_gpumode_GELU_20260101_000000",
    **more: bytes,
) -> Files:
    result = aka_result() if result is None else result
    files = {
        "config.yaml": yaml_of({"target_file_path": "gelu.hip"}),
        "gelu.hip": KERNEL,
        "baseline_perf.yaml": yaml_of(before or aka_times(2.0, 4.0)),
        "optimized_perf.yaml": yaml_of(after or aka_times(1.0, 1.0)),
    }
    if result:
        files["task_result.yaml"] = yaml_of(result)
    return {f"{folder}/{name}": data for name, data in files.items()} | more


def held_out(*rows: dict[str, Any], **summary: Any) -> Files:
    return {"run_heldout/heldout_summary.yaml": yaml_of({"per_task": list(rows), **summary})}


def held_out_row(baseline: bool, candidate: bool, status: str, task: str = GELU, **changes: Any) -> dict[str, Any]:
    return {
        "task_name": task,
        "generalization_status": status,
        "orig_heldout_correct": baseline,
        "opt_heldout_correct": candidate,
        "heldout_speedup": 1.5,
        "original_run_speedup": 2.0,
        "error": None,
        **changes,
    }


def kbx_sizes(*times: Any) -> list[dict[str, Any]]:
    """Eight bytes an element, and as many operations."""
    return [
        {"input_size": [[1 << index]], "ms": time, "GB/s": _rate(index, time), "TFLOPS": _rate(index, time) / 1000}
        for index, time in enumerate(times, start=12)
    ]


def _rate(index: int, time: Any) -> float:
    return (8 << index) / (time * 1e6) if isinstance(time, int | float) and 0 < time < 1e9 else 0.0


def kbx_row(*times: Any, **changes: Any) -> dict[str, Any]:
    """`matmul_w8a8` has four sizes in every golden result."""
    total = round(sum(time for time in times if isinstance(time, int | float)), 4)
    sizes = kbx_sizes(*times)
    gbs = sum(row["GB/s"] * row["ms"] for row in sizes if row["GB/s"]) / total if total > 0 else 0.0
    return {
        "call_ok": True,
        "exe_ok": True,
        "perf_ok": True,
        "dtype": "int8",
        "runtime_ms": total,
        "gbs": gbs,
        "tflops": gbs / 1000,
        "speedup": 2.0,
        "performance": sizes,
        "error": "",
        "code": "import triton\n",
        **changes,
    }


def kbx(rows: dict[str, Any] | None = None, golden: list[Any] | None = None, **more: bytes) -> Files:
    rows = {MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0)} if rows is None else rows
    golden = kbx_sizes(1.0, 1.0, 2.0, 4.0) if golden is None else golden
    files = {"metrics.json": dumped(rows)}
    if golden:
        files["golden_results/a100/matmul_w8a8.json"] = dumped(golden)
    return files | more


def corpus_line(before: dict[str, Any], after: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "task_id": RELU,
        "transition": "round_0_to_round_1",
        "from_round": "round_0",
        "to_round": "round_1",
        "kind": "speedup_increase",
        "before": {"call_ok": True, "exe_ok": True, "perf_ok": True, "runtime_ms": 1.0, **before},
        "after": {"call_ok": True, "exe_ok": True, "perf_ok": True, "runtime_ms": 1.0, **after},
        "before_code": "a = 1\n",
        "after_code": "a = 2\n",
        **changes,
    }


def kb_result(runtime: Any = 2.0, **changes: Any) -> dict[str, Any]:
    metadata = {"hardware": "NVIDIA H100", "correctness_trials": "(5 / 5)"} | changes.pop("metadata", {})
    return {
        "sample_id": 0,
        "compiled": True,
        "correctness": True,
        "runtime": runtime,
        "runtime_stats": {},
        "metadata": metadata,
        **changes,
    }


def kb(results: dict[str, Any] | None = None, hardware: str = "NVIDIA H100", declared: str = "level: 3") -> Files:
    baseline = {
        "level3": {"1_MLP.py": {"mean": 4.0, "hardware": hardware}, "2_Net.py": {"mean": 6.0, "hardware": hardware}}
    }
    files = {"eval_results.json": dumps_results(results), "baseline_time_torch.json": dumped(baseline)}
    return files | ({"arenaboard.yaml": declared.encode()} if declared else {})


def kb_run(
    results: dict[str, Any] | None = None, *, folder: str = "run", level: int | None = 2, kernels: tuple[str, ...] = ()
) -> Files:
    """A run folder of KernelBench: results, what the generation was asked for, and kernels by level and problem."""
    asked = {"level": level, "model_name": "robot-1", "precision": "fp16", "temperature": 0, "subset": [None, None]}
    files = {"eval_results.json": dumps_results(results)}
    files |= {"generation_config.yaml": yaml_of(asked)} if level else {}
    files |= {f"level_{name}_sample_0_kernel.py": b"class ModelNew: ...\n" for name in kernels}
    return {f"{folder}/{name}": data for name, data in files.items()}


def kb_ranked(*rows: dict[str, Any], problem: str = "Level 1: 12_Diagonal") -> Files:
    """data.json of KernelBench's leaderboard, and the solutions that it names."""
    solutions = {f"solutions/{row['file']}.py": b"class ModelNew: ...\n" for row in rows if "file" in row}
    return {"assets/data.json": dumped({problem: list(rows), "Level 4: 1_Model": []})} | solutions


def kb_ranked_row(model: str = "robot-1", speedup: float = 2.0, **changes: Any) -> dict[str, Any]:
    return {"display_name": model, "torch_speedup": speedup, "file": f"0{model[-1]}", **changes}


def dumps_results(results: dict[str, Any] | None) -> bytes:
    return dumped({"1": kb_result()} if results is None else results)


def trace(workload: int = 1, status: str = "PASSED", **changes: Any) -> dict[str, Any]:
    performance = {"latency_ms": 1.0, "reference_latency_ms": 2.0, "speedup_factor": 2.0} | changes.pop("times", {})
    correctness = {"max_relative_error": 1e-3, "max_absolute_error": changes.pop("error", 1e-3)}
    evaluation: dict[str, Any] = {
        "status": status,
        "log": "",
        "environment": {"hardware": "NVIDIA B200", "libs": {}},
        "correctness": correctness if status in ("PASSED", "INCORRECT_NUMERICAL") else None,
        "performance": performance if status == "PASSED" else None,
        **changes,
    }
    return {"solution": "fast", **workload_line(workload), "evaluation": evaluation} | {"solution": "fast"}


def workload_line(number: int = 1) -> dict[str, Any]:
    workload = {"uuid": f"w{number}", "axes": {"M": number}, "inputs": {"A": {"type": "random"}}}
    return {"definition": "gemm", "solution": None, "workload": workload, "evaluation": None}


def fib(*traces: dict[str, Any], **more: bytes) -> Files:
    solution = {
        "name": "fast",
        "definition": "gemm",
        "author": "robot",
        "sources": [{"path": "kernel.py", "content": "x = 1\n"}],
    }
    found = traces or (trace(1), trace(2))
    return {
        "workloads/gemm/gemm.jsonl": lines(workload_line(1), workload_line(2)),
        "solutions/robot/gemm/gemm/fast.json": dumped(solution),
        "traces/robot/gemm/gemm.jsonl": lines(*found),
    } | more
