"""The ISA report of a whole evaluation: both sides, both targets, failures and findings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

import pytest

from evaluator.backends.cpu import CpuBackend
from evaluator.gates import compile as compile_gate
from evaluator.hip.prepare import HipToolchain
from evaluator.judge import builds
from evaluator.pipeline import Evaluator
from evaluator.records.reasons import Status
from evaluator.records.record import ISA_NUMBERS, TRANSLATED, IsaReport, Record
from evaluator.tasks.candidate import Candidate, baseline
from evaluator.tasks.spec import TaskSpec

pytestmark = pytest.mark.slow
Task = Callable[[str], TaskSpec]
HEAD = """import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + at, mask=inside, other=0.0)
    {body}


@triton.jit
def products(a, count, M: tl.constexpr):
    at = tl.arange(0, M)[:, None] * M + tl.arange(0, M)[None, :]
    total = tl.zeros((M, M), tl.float32)
    for index in range(count):
        total += tl.dot(tl.load(a + index * M * M + at), tl.load(a + index * M * M + at + M))
    tl.store(a + at, total)


def forward(x):
    y = torch.empty_like(x)
    {before}
    double_kernel[({blocks},)](x, y, x.numel(), {options})
    return y
"""
STORE = "tl.store(y + at, 2.0 * value, mask=inside)"


def candidate(task: TaskSpec, body: str = STORE, before: str = "", blocks: str = "1", options: str = "") -> Candidate:
    source = HEAD.format(body=body, before=before, blocks=blocks, options=options or "BLOCK=2048, num_warps=8")
    return Candidate({task.editable[0]: source.encode()}, "made for this test")


def of(record: Record, side: str, target: str) -> list[IsaReport]:
    return [report for report in record.isa if (report.side, report.target) == (side, target)]


def test_both_sides_of_a_triton_task_are_compiled_for_both_targets(tiny_task: Task, evaluator: Evaluator) -> None:
    task = tiny_task("triton2triton")
    record = evaluator.evaluate(task, candidate(task))
    assert record.status is Status.PASSED, record.message
    assert record.isa_checked == {"gfx942": "compiled", "gfx950": "compiled"}
    for target in record.isa_checked:
        ours, theirs = of(record, "baseline", target), of(record, "candidate", target)
        assert {report.configuration for report in ours} == {"fp32, BLOCK=128", "fp32, BLOCK=128, n%16=0"}
        assert {report.configuration for report in theirs} == {"fp32, BLOCK=2048", "fp32, BLOCK=2048, n%16=0"}
        assert {report.numbers["num_warps"] for report in ours} == {4}
        assert {report.numbers["num_warps"] for report in theirs} == {8}
        for report in (*ours, *theirs):
            assert report.error is None
            assert set(report.numbers) == set(ISA_NUMBERS)
            assert None not in report.numbers.values()
    assert record.findings == ()


def test_more_lds_than_gfx942_has_fails_there_and_compiles_for_gfx950(tiny_task: Task, evaluator: Evaluator) -> None:
    task = tiny_task("triton2triton")
    big = "products[(1,)](torch.zeros(256, 64, device=x.device), 3, M=64, num_stages=4)"
    record = evaluator.evaluate(task, candidate(task, before=big))
    assert (record.status, record.reason) == (Status.BUILD_FAILED, "target_compiler_error")
    assert "bytes of LDS, a workgroup has 65536" in (record.message or "")
    assert record.isa_checked == {"gfx942": "failed", "gfx950": "compiled"}
    [refused], [taken] = of(record, "candidate", "gfx942"), of(record, "candidate", "gfx950")
    assert "bytes of LDS" in (refused.error or "")
    assert taken.error is None
    assert (taken.numbers["lds_bytes"] or 0) > 65_536


def test_spilled_registers_are_a_finding_and_fail_nobody(tiny_task: Task, evaluator: Evaluator) -> None:
    task = tiny_task("triton2triton")
    body = "total = tl.sum(value)\n    tl.store(y + at, 2.0 * value + 0.0 * total, mask=inside)"
    record = evaluator.evaluate(task, candidate(task, body=body, options="BLOCK=4096, num_warps=1, waves_per_eu=8"))
    assert record.status is Status.PASSED, record.message
    spills = [finding for finding in record.findings if finding.code == "spills"]
    assert [finding.text.split(" registers")[0] for finding in spills] == ["On gfx942", "On gfx950"]
    assert all("double_kernel" in finding.text for finding in spills)
    assert all((report.numbers["scratch_bytes"] or 0) > 0 for report in of(record, "candidate", "gfx942"))


def test_both_sides_of_a_hip_task_are_compiled_for_both_targets(tiny_task: Task, evaluator: Evaluator) -> None:
    task = tiny_task("hip2hip")
    record = evaluator.evaluate(task, baseline(task))
    assert record.isa_checked == {"gfx942": "compiled", "gfx950": "compiled"}
    compiled_names = set(ISA_NUMBERS) - {"num_warps", "num_stages"}
    names = {}
    for target, configuration in (("gfx942", ""), ("gfx950", TRANSLATED)):
        ours, theirs = of(record, "baseline", target), of(record, "candidate", target)
        names[target] = [report.kernel for report in ours]
        assert names[target] == [report.kernel for report in theirs] != []
        assert {report.configuration for report in (*ours, *theirs)} == {configuration}
        assert all(report.numbers[name] is not None for report in ours for name in compiled_names)
    assert names["gfx942"] == names["gfx950"]


def test_what_is_not_translated_to_gfx950_is_not_checked_and_fails_nobody(
    tiny_task: Task, evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker is another process, so its report is changed on its way."""

    def build_without(*arguments: object) -> builds.Build:
        made = builds.build(*arguments)  # type: ignore[arg-type]
        return replace(made, gfx950={"checked": False, "seconds": 0.1, "kernels": [], "reason": "LLVM fails"})

    monkeypatch.setattr(compile_gate, "build", build_without)
    task = tiny_task("hip2hip")
    record = evaluator.evaluate(task, baseline(task))
    assert record.status is Status.PASSED, record.message
    assert [finding.code for finding in record.findings] == ["coverage_unknown"]
    assert record.isa_checked == {"gfx942": "compiled", "gfx950": "not checked: LLVM fails"}
    assert of(record, "candidate", "gfx942")
    assert not of(record, "candidate", "gfx950")


class WithoutDeviceLibraries(CpuBackend):
    @functools.cached_property
    def toolchain(self) -> HipToolchain:
        known = CpuBackend().toolchain
        return replace(known, key="without", gfx942_available=False, gfx942_reason="install rocm-device-libs")


def test_a_missing_toolchain_is_reported_with_what_to_install(tiny_task: Task) -> None:
    task = tiny_task("hip2hip")
    with Evaluator(WithoutDeviceLibraries()) as evaluator:
        record = evaluator.evaluate(task, baseline(task))
    assert record.status is Status.PASSED, record.message
    lacking = "not checked: install rocm-device-libs"
    assert record.isa_checked == {"gfx942": lacking, "gfx950": lacking}
    assert record.isa == ()
