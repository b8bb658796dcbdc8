"""Activity traces: read in the formats of kineto and rocprofv3, compared with T_dev, and the command `audit`.

The traces here are written by hand in the form that those profilers give.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from evaluator import codec
from evaluator.__main__ import main
from evaluator.activity.comparison import compare_case
from evaluator.codec import DecodeError
from evaluator.gates.context import CaseState, Context
from evaluator.gates.coverage import check_coverage, trace_coverage
from evaluator.gates.plain.own_kernels import own_kernels
from evaluator.inside.gpu.trace import CALL, CONSUME, PREPARE, RANGES, profiler
from evaluator.judge.traces import DeviceWork, TraceUnreadable, base_name, kineto_calls, rocprof_calls
from evaluator.records.activity import ActivityReport, read_activity, summary, write_activity
from evaluator.records.measurements import T_DEV, Clock, Ratio
from evaluator.records.record import write_record
from evaluator.tasks.candidate import baseline, overlay
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import write_files
from tests.records import make_record, record_for

TASK = "triton2triton/arena/softmax"
SOURCE = b"@triton.jit\ndef softmax_kernel(x):\n    pass\n"
OWN, FLUSH = "softmax_kernel", "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int> >(int)"
COPY = "Memcpy DtoD (Device -> Device)"
NAMES = own_kernels({"softmax.py": SOURCE})
START_US = 6321374543213.125


def event(name: str, cat: str, ts: float, dur: float, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": START_US + ts, "dur": dur, "args": args}


def kineto(calls: int, call: list[tuple[str, float, float]], late: list[tuple[str, float, float]] = ()) -> bytes:  # type: ignore[assignment]
    """A trace of calls of 10 ms: `call` and `late` are kernels as (name, µs after their range's begin, µs)."""
    events: list[dict[str, Any]] = [{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python3"}}]
    for index in range(calls):
        at = index * 10_000.0
        for name, begin in zip(RANGES, (0.0, 3000.0, 6000.0), strict=True):
            events.append(event(name, "user_annotation", at + begin, 900.0, **{"External id": index}))
            events.append(event(name, "gpu_user_annotation", at + begin + 50, 5.0))
        events.append(event(FLUSH, "kernel", at + 100, 60.0, stream=7, correlation=1))
        events.append(event("cudaLaunchKernel", "cuda_runtime", at + 3010, 4.0, correlation=2))
        events += [event(name, "kernel", at + 3000 + begin, took, stream=7) for name, begin, took in call]
        events += [event(name, "kernel", at + 6000 + begin, took, stream=7) for name, begin, took in late]
        events.append(event(COPY, "gpu_memcpy", at + 6050, 8.0, bytes=4096))
        events.append({"ph": "s", "id": index, "pid": 0, "tid": 7, "ts": START_US + at, "cat": "ac2g", "name": "ac2g"})
    return json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events}).encode()


def verdict(trace: bytes, t_dev_us: float) -> tuple[str, str]:
    found = compare_case("case", t_dev_us * 1e3, kineto_calls(trace, outputs=1), NAMES)
    return found.verdict, found.text


@pytest.mark.filterwarnings("ignore:CUDA is not available")
def test_the_names_of_ranges_are_those_that_torchs_profiler_writes(tmp_path: Path):
    before = "torch._inductor" in sys.modules
    with profiler() as tracer:
        for name in (PREPARE, CALL, CONSUME):
            with torch.profiler.record_function(name):
                torch.zeros(4)
    tracer.export_chrome_trace(str(tmp_path / "trace.json"))
    with pytest.raises(TraceUnreadable, match="saw no work of the device"):  # it found the ranges, of a CPU alone
        kineto_calls((tmp_path / "trace.json").read_bytes(), outputs=1)
    assert ("torch._inductor" in sys.modules) == before, "its import takes seconds of every evaluation"


def test_work_of_a_call_is_apart_from_our_flush_and_copies():
    trace = kineto(3, [(OWN, 20, 10.0), (FLUSH, 31, 2.5)])
    calls = kineto_calls(trace, outputs=1)
    assert [[(one.name, round(one.took_ns)) for one in call.work] for call in calls] == [
        [(OWN, 10_000), (FLUSH, 2500)]
    ] * 3
    found = compare_case("case", 13_000.0, calls, NAMES)
    assert (found.calls, round(found.busy_ns), round(found.span_ns), found.late_ns) == (3, 12_500, 13_500, 0)
    assert found.own_share == pytest.approx(0.8)
    assert [(kernel.name, kernel.launches, kernel.is_own) for kernel in found.kernels] == [
        (OWN, 1, True),
        (FLUSH, 1, False),
    ]


@pytest.mark.parametrize(
    ("t_dev_us", "expected"),
    [(100.0, "agree"), (80.0, "agree"), (130.0, "agree"), (60.0, "disagree"), (200.0, "disagree")],
)
def test_one_kernel_of_100_us(t_dev_us: float, expected: str):
    assert verdict(kineto(5, [(OWN, 20, 100.0)]), t_dev_us)[0] == expected


def test_gaps_between_launches_do_not_count_against_a_candidate():
    trace = kineto(5, [(OWN, 20, 10.0), (OWN, 220, 10.0), (OWN, 420, 10.0)])
    assert verdict(trace, 31.0)[0] == "agree"
    assert verdict(trace, 15.0) == ("disagree", "the device worked 30.0 us a call, 15.0 us more than T_dev")


def test_kernels_at_the_same_time_count_once():
    assert verdict(kineto(5, [(OWN, 20, 100.0), (OWN, 30, 90.0), (OWN, 40, 10.0)]), 100.0)[0] == "agree"


def test_work_that_waits_for_the_copy_is_late():
    """As of a candidate that launches its kernel when the output is cloned (cases/cheats/gpu_late_by_clone)."""
    said = verdict(kineto(5, [("copy_only", 20, 5.0)], late=[(OWN, 10, 40.0)]), 6.0)
    assert said == ("disagree", "40.0 us of work ran only after the call had returned, when its output was read")


def test_a_call_without_any_work_disagrees():
    assert verdict(kineto(5, []), 20.0) == (
        "disagree",
        "the device's work spans 0.0 us a call, 20.0 us less than T_dev",
    )


def test_more_copies_than_outputs_are_late_work():
    calls = kineto_calls(kineto(2, [(OWN, 20, 10.0)]), outputs=0)
    assert [one.name for one in calls[0].late] == [COPY]


def own_work(trace: bytes, monkeypatch: pytest.MonkeyPatch) -> Context:
    """What the correctness gate notes on a GPU where the profiler gives this trace of two cases."""
    monkeypatch.setattr("evaluator.gates.coverage.traced", lambda runner, calls: trace)
    task = load_task(TASK)
    backend: Any = SimpleNamespace(name="cuda", torch_device="cuda")
    context = Context(task, baseline(task), baseline(task), backend, open_side=lambda _: None)  # type: ignore[arg-type,return-value]
    context.runner: Any = SimpleNamespace(side=SimpleNamespace(files={"softmax.py": SOURCE}))
    context.candidate: Any = SimpleNamespace(language="python")
    context.cases = {case.id: CaseState(case) for case in task.cases[:2]}
    trace_coverage(context)
    check_coverage(context, "correctness")
    return context


@pytest.mark.parametrize(
    ("trace", "held"),
    [
        (kineto(2, [(OWN, 20, 10.0), (FLUSH, 31, 2.5)]), ""),
        (kineto(2, [(FLUSH, 20, 10.0)]), "runs no kernel of the candidate; and 1 more like it"),
        (kineto(2, []), "runs no kernel of the candidate; and 1 more like it"),
        (kineto(2, [(OWN, 20, 0.5), (FLUSH, 31, 9.5)]), "kernels of the candidate take 5 % of the device's time; "),
    ],
)
def test_on_a_gpu_a_launch_hides_no_work_of_a_library(trace: bytes, held: str, monkeypatch: pytest.MonkeyPatch):
    context = own_work(trace, monkeypatch)
    assert [finding.code for finding in context.held] == (["no_kernel"] if held else [])
    assert all(held in finding.text for finding in context.held)
    assert all(state.coverage is not None for state in context.cases.values())


def test_a_kernel_beside_operators_that_take_most_of_the_time_is_a_finding(monkeypatch: pytest.MonkeyPatch):
    context = own_work(kineto(2, [(OWN, 20, 3.0), (FLUSH, 31, 7.0)]), monkeypatch)
    assert [(finding.code, finding in context.held) for finding in context.findings] == [("partly_written", False)]


def test_where_no_trace_can_be_read_the_finding_says_that_the_coverage_is_unknown(monkeypatch: pytest.MonkeyPatch):
    context = own_work(b"", monkeypatch)
    assert [finding.code for finding in context.findings] == ["coverage_unknown"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda trace: b"",
        lambda trace: trace[:-20],
        lambda trace: b"[]",
        lambda trace: b'{"traceEvents": [1]}',
        lambda trace: trace.replace(CALL.encode(), b"something"),
        lambda trace: trace.replace(b'"dur": 10.0', b'"dur": -1'),
        lambda trace: trace.replace(b'"dur": 10.0', b'"dur": "NaN"'),
        lambda trace: b'{"traceEvents": []}',
        lambda trace: b"[" * 100_000,
    ],
)
def test_a_damaged_trace_is_never_a_verdict(damage: Any):
    with pytest.raises(TraceUnreadable):
        kineto_calls(damage(kineto(2, [(OWN, 20, 10.0)])), outputs=1)


KERNELS = (
    '"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id",'
    '"Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count",'
    '"Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"\n'
)
COPIES = (
    '"Kind","Direction","Stream_Id","Source_Agent_Id","Destination_Agent_Id","Correlation_Id","Start_Timestamp",'
    '"End_Timestamp"\n'
)
MARKERS = '"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"\n'


def rocprof(calls: int, took_ns: int, late_ns: int = 0) -> dict[str, str]:
    kernels, copies, markers = KERNELS, COPIES, MARKERS
    for index in range(calls):
        at = 1_551_874_061_000_000 + index * 10_000_000
        for name, begin in zip(RANGES, (0, 3_000_000, 6_000_000), strict=True):
            markers += f'"MARKER_CORE_API","{name}",7,7,{index},{at + begin},{at + begin + 900_000}\n'
        works = [(FLUSH, at + 100_000, 60_000), ("softmax_kernel(float*, int)", at + 3_020_000, took_ns)]
        works += [("softmax_kernel(float*, int)", at + 6_010_000, late_ns)] * bool(late_ns)
        for name, begin, took in works:
            kernels += f'"KERNEL_DISPATCH","Agent 4",1,1,7,1,10,"{name}",1,{begin},{begin + took},'
            kernels += "0,0,8,0,16,64,1,1,1024,1024,1\n"
        copy = at + 6_500_000
        copies += f'"MEMORY_COPY","MEMORY_COPY_DEVICE_TO_DEVICE",0,"Agent 4","Agent 4",0,{copy},{copy + 8000}\n'
    return {"a/7_kernel_trace.csv": kernels, "a/7_memory_copy_trace.csv": copies, "a/7_marker_api_trace.csv": markers}


def test_rocprofv3s_files_give_the_same_calls():
    calls = rocprof_calls(rocprof(4, took_ns=10_000), outputs=1)
    found = compare_case("case", 11_000.0, calls, NAMES)
    assert (found.calls, found.busy_ns, found.late_ns, found.own_share, found.verdict) == (4, 10_000, 0, 1.0, "agree")
    late = compare_case("case", 11_000.0, rocprof_calls(rocprof(4, 10_000, late_ns=50_000), 1), NAMES)
    assert (late.busy_ns, late.late_ns, late.verdict) == (60_000, 50_000, "disagree")


@pytest.mark.parametrize("lost", ["_kernel_trace.csv", "_marker_api_trace.csv"])
def test_without_one_of_its_files_there_is_no_agreement(lost: str):
    files = {name: text for name, text in rocprof(4, 10_000).items() if not name.endswith(lost)}
    try:
        calls = rocprof_calls(files, outputs=1)
    except TraceUnreadable:
        return
    assert compare_case("case", 11_000.0, calls, frozenset()).verdict == "disagree"


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        ("softmax_kernel", "softmax_kernel"),
        ("void addition_kernel<float>(float*, float const*)", "addition_kernel"),
        ("void ns::inner::scale<ns::Op<3> >(int)", "ns::inner::scale"),
        ("(anonymous namespace)::add_kernel(float const*, float*)", "add_kernel"),
        ("void (anonymous namespace)::scale<float>(float*)", "scale"),
        ("", ""),
    ],
)
def test_the_name_of_a_kernel(kernel: str, name: str):
    assert base_name(kernel) == name


HIP_SOURCE = b"""
// at::native::vectorized_elementwise_kernel, flash_fwd_kernel
namespace { template <int N> __global__ __launch_bounds__(256, 2) void add_kernel(const float* x) {} }
static __global__ void __attribute__((used)) scale(float* x) { puts("__global__ void text("); }
"""
PYTHON_SOURCE = b"""
# @triton.jit def sm90_gemm():
@triton.autotune(configs=[], key=["n"])
@triton.jit
def mean_kernel(x): pass
def forward(x): return "@triton.jit def text(): pass"
@triton.jit(debug=False)
def sum_kernel(x): pass
"""


def test_a_sources_own_kernels_are_those_that_it_defines():
    assert own_kernels({"kernel.hip": HIP_SOURCE}) == {"add_kernel", "scale"}
    assert own_kernels({"mean.py": PYTHON_SOURCE}) == {"mean_kernel", "sum_kernel"}
    for gap in (b" ", b" \\\n  "):
        made = b"#define KERNEL(NAME)" + gap + b"__global__ void NAME(float* x) {}\nKERNEL(made_kernel)"
        assert "made_kernel" in own_kernels({"kernel.hip": made})


@pytest.mark.parametrize(
    ("kernel", "is_own"),
    [
        ("void (anonymous namespace)::scale<float>(float*)", True),
        ("void at::native::(anonymous namespace)::scale<float>(float*)", False),
        ("void elementwise<float>(float*)", False),
    ],
)
def test_a_librarys_kernel_is_never_the_candidates(kernel: str, is_own: bool):
    assert DeviceWork(kernel, "kernel", 0.0, 1.0).is_own(own_kernels({"kernel.hip": HIP_SOURCE})) is is_own


def report() -> ActivityReport:
    case = compare_case("rows=8", 60_000.0, kineto_calls(kineto(5, [(OWN, 20, 100.0)]), 1), NAMES)
    record = make_record()
    return ActivityReport(
        1, "2026-11-29T12:00:00+00:00", record.task, "b" * 64, record.started_at, record.host, "kineto", (case,)
    )


def test_a_report_survives_its_file_and_says_its_verdict(tmp_path: Path):
    write_activity(report(), tmp_path / "activity.json")
    found = read_activity((tmp_path / "activity.json").read_bytes())
    assert found == report()
    assert summary(found).splitlines()[0].startswith("activity trace: disagree (")
    assert "40.0 us more than T_dev" in summary(found)


@pytest.mark.parametrize("change", [{"cases": ()}, {"schema": 2}, {"made_at": "yesterday"}])
def test_a_report_that_breaks_its_rules_is_not_read(change: dict[str, Any], tmp_path: Path):
    with pytest.raises(DecodeError):
        write_activity(replace(report(), **change), tmp_path / "activity.json")


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """A run folder with the record of the task's baseline, timed at 11 us on its first case; returns the record."""
    task = load_task(TASK)
    candidate = baseline(task)
    record = record_for(task.id, task.digest, task.category, candidate)
    clocks = {T_DEV: Clock((0.011,), (0.011,))}
    ratio = Ratio(0.0, 1e-4, 4.0, -0.02, 0.02, eligible=True, censored=False, noisy=False)
    timed = replace(record.cases[0], id=task.cases[0].id, clocks=clocks, ratio=ratio, speedup=1.0)
    record = replace(record, cases=(timed,), flags=())
    path = tmp_path / "records" / "softmax.json"
    path.parent.mkdir()
    path.write_text(codec.dumps(record))
    write_files(candidate.files, tmp_path / "candidates" / "softmax")
    return path


def test_without_a_device_it_says_so_and_has_its_own_exit_code(run_folder: Path, capsys: Any):
    assert main(["audit", str(run_folder), "--backend", "cpu"]) == 4
    assert "no device trace" in capsys.readouterr().err
    assert main(["audit", str(run_folder), "--backend", "rocm"]) == 4
    assert "--recorded" in capsys.readouterr().err


def test_a_recording_is_audited_without_a_device(run_folder: Path, tmp_path: Path, capsys: Any):
    for agrees, late_ns in ((True, 0), (False, 50_000)):
        for name, text in rocprof(4, 10_000, late_ns).items():
            (tmp_path / "rocprof" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "rocprof" / name).write_text(text)
        out = tmp_path / "activity.json"
        code = main(["audit", str(run_folder), "--recorded", str(tmp_path / "rocprof"), "--out", str(out)])
        assert code == (0 if agrees else 1)
        assert read_activity(out.read_bytes()).verdict == ("agree" if agrees else "disagree")
        assert f"activity trace: {'agree' if agrees else 'disagree'}" in capsys.readouterr().out


def test_another_candidate_than_the_records_is_refused(run_folder: Path, tmp_path: Path, capsys: Any):
    (tmp_path / "candidates" / "softmax" / "softmax.py").write_bytes(b"# another\n")
    (tmp_path / "rocprof.csv").write_text("")
    assert main(["audit", str(run_folder), "--recorded", str(tmp_path)]) == 2
    assert "the record is of candidate" in capsys.readouterr().err


def test_a_record_without_t_dev_is_refused(run_folder: Path, tmp_path: Path, capsys: Any):
    task = load_task(TASK)
    write_record(record_for(task.id, task.digest, task.category, baseline(task)), run_folder)
    (tmp_path / "rocprof.csv").write_text("")
    assert main(["audit", str(run_folder), "--recorded", str(tmp_path)]) == 2
    assert "no T_dev" in capsys.readouterr().err


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU that torch sees")
def test_honest_results_agree_and_late_work_does_not(tmp_path: Path):
    """On a GPU: the expert's T_dev and its trace agree, also for HIP; the record of a faster one does not."""
    from evaluator.activity.audit import audit_record
    from evaluator.backends import get_backend
    from evaluator.pipeline import Evaluator

    with Evaluator(get_backend("cuda")) as evaluator:
        for name in (TASK, "hip2hip/arena/GELU"):
            task = load_task(name)
            candidate = overlay(task, "expert", "expert")
            record = evaluator.evaluate(task, candidate, sessions=1)
            found = audit_record(evaluator, task, candidate, record)
            assert found.verdict == "agree", summary(found)
            assert all(case.own_share and case.own_share > 0.9 for case in found.cases)
            halved = tuple(
                replace(case, clocks={T_DEV: Clock(case.clocks[T_DEV].baseline_ms, (1e-6,))})
                for case in record.cases
                if T_DEV in case.clocks
            )
            assert audit_record(evaluator, task, candidate, replace(record, cases=halved)).verdict == "disagree"
