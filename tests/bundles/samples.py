"""Real results of other benchmarks, stored outside the repository: their expected outcomes as a table.

`python -m tests.bundles.samples` prints the table anew.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from evaluator.bundles.checking import CheckedBundle, check

FOLDER = Path(__file__).parents[3] / "shared" / "samples"
RUN = "agentkernelarena_v1/workspace_MI300_claude_code/run_20260901_101010_demo"
UNKNOWN = "expected one of the known formats"
# Sample, what its submitter says, and what it becomes: format and generation; claims that count and those in
# quarantine; measurements; statuses; how many kinds of findings.
OUTCOMES: tuple[tuple[str, Mapping[str, str], str], ...] = (
    (
        "agentkernelarena_docs",
        {},
        "AgentKernelArena, v1, paper era; 1 counted, 0 in quarantine, 0 measurements; 1 passed; 6 kinds of findings",
    ),
    (
        "agentkernelarena_docs/docs_example.task_result.yaml",
        {},
        "AgentKernelArena, v1, paper era; 1 counted, 0 in quarantine, 0 measurements; 1 passed; 5 kinds of findings",
    ),
    (
        "agentkernelarena_v1",
        {},
        "AgentKernelArena, v1, later fields; 1 counted, 11 in quarantine, 11 measurements; "
        "2 implausible, 7 not_judged, 3 passed; 19 kinds of findings",
    ),
    (
        f"{RUN}/hip2hip_gpumode_GELU_20260901_101010",
        {},
        "AgentKernelArena, v1, later fields; 1 counted, 0 in quarantine, 2 measurements; 1 passed; 4 kinds of findings",
    ),
    (
        f"{RUN}/triton2triton_vllm_dup_params_20260901_101010",
        {},
        "AgentKernelArena, v1, later fields; 0 counted, 1 in quarantine, 2 measurements; 1 passed; 9 kinds of findings",
    ),
    (
        f"{RUN}/triton2triton_vllm_inf_time_20260901_101010",
        {},
        "AgentKernelArena, v1, later fields; 0 counted, 1 in quarantine, 1 measurements; 1 implausible; "
        "6 kinds of findings",
    ),
    (
        f"{RUN}/triton2triton_vllm_missing_case_20260901_101010",
        {},
        "AgentKernelArena, v1, later fields; 0 counted, 1 in quarantine, 3 measurements; 1 implausible; "
        "6 kinds of findings",
    ),
    (
        f"{RUN}/triton2triton_vllm_ok_20260901_101010",
        {},
        "AgentKernelArena, v1, later fields; 0 counted, 1 in quarantine, 3 measurements; 1 passed; 4 kinds of findings",
    ),
    (
        f"{RUN}/triton2triton_vllm_tamper_20260901_101010",
        {},
        "AgentKernelArena, v1; 0 counted, 1 in quarantine, 0 measurements; 1 not_judged; 5 kinds of findings",
    ),
    (f"{RUN}/reports", {}, f"refused: overall_summary.csv, task_type_breakdown.json; {UNKNOWN}"),
    (
        "kernelbench",
        {},
        "KernelBench, v0; 0 counted, 47 in quarantine, 16 measurements; "
        "12 build_failed, 7 crashed, 16 passed, 12 wrong_output; 5 kinds of findings",
    ),
    (
        "kernelbench",
        {"level": "3"},
        "KernelBench, v0; 47 counted, 0 in quarantine, 16 measurements; "
        "12 build_failed, 7 crashed, 16 passed, 12 wrong_output; 4 kinds of findings",
    ),
    (
        "kernelbench/gemini_level3_run.eval_results.json",
        {},
        "KernelBench, v0; 0 counted, 47 in quarantine, 16 measurements; "
        "12 build_failed, 7 crashed, 16 passed, 12 wrong_output; 4 kinds of findings",
    ),
    (
        "kernelbench/H100_Modal.baseline_time_torch.first8_per_level.json",
        {},
        f"refused: H100_Modal.baseline_time_torch.first8_per_level.json; {UNKNOWN}",
    ),
    (
        "kernelbenchx_run",
        {},
        "KernelBench-X, metrics; 6 counted, 0 in quarantine, 52 measurements; "
        "1 build_failed, 4 passed, 1 wrong_output; 6 kinds of findings",
    ),
    (
        "kernelbenchx_run/metrics.json",
        {},
        "KernelBench-X, metrics; 6 counted, 0 in quarantine, 52 measurements; "
        "1 build_failed, 4 passed, 1 wrong_output; 4 kinds of findings",
    ),
    (
        "kernelbenchx_run/intermediate",
        {},
        "KernelBench-X, stages; 6 counted, 0 in quarantine, 16 measurements; "
        "1 build_failed, 3 implausible, 1 passed, 1 wrong_output; 4 kinds of findings",
    ),
    ("kernelbenchx_golden", {}, "refused: only the golden times of KernelBench-X; expected a run"),
    (
        "kernelbenchx_corpus",
        {},
        "KernelBench-X corpus, v1; 4 counted, 0 in quarantine, 0 measurements; 4 passed; 4 kinds of findings",
    ),
    ("flashinfer_bench", {}, "refused: no trace with an evaluation; expected at least one"),
    ("flashinfer_bench/workloads", {}, "refused: no trace with an evaluation; expected at least one"),
    ("flashinfer_bench/definitions", {}, f"refused: gemm_n4096_k4096.json; {UNKNOWN}"),
    (
        "robust_kbench",
        {},
        f"refused: config_forward.json, filter_results.json, highlighted_results.csv, "
        f"torch_native_results.json; {UNKNOWN}",
    ),
    ("robust_kbench/filter_results.json", {}, f"refused: filter_results.json; {UNKNOWN}"),
    ("robust_kbench/highlighted_results.csv", {}, f"refused: highlighted_results.csv; {UNKNOWN}"),
    ("SOURCES.md", {}, f"refused: SOURCES.md; {UNKNOWN}"),
)


def outcome(checked: CheckedBundle) -> str:
    """One line: what became of it, or why it is refused."""
    submission = checked.bundle
    if checked.problems or submission is None:
        return f"refused: {checked.problems[0].seen}; expected {checked.problems[0].expected}"
    known = sum(claim.is_known for claim in submission.claims)
    statuses = Counter(claim.status.value for claim in submission.claims)
    parts = (
        f"{submission.format}, {submission.generation}",
        f"{known} counted, {len(submission.claims) - known} in quarantine, {submission.measurements} measurements",
        ", ".join(f"{count} {name}" for name, count in sorted(statuses.items())),
        f"{len({finding.code for finding in submission.findings})} kinds of findings",
    )
    return "; ".join(parts)


def main() -> None:
    for name, declared, _ in OUTCOMES:
        sys.stdout.write(f"{name.replace(RUN, 'agentkernelarena_v1/…')} {dict(declared) or ''}\n")
        sys.stdout.write(f"    {outcome(check(FOLDER / name, declared=declared))}\n")


if __name__ == "__main__":
    main()
