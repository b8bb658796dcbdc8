"""What an attempt moved and computed by its task's model, beside the time that it took."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from evaluator.records.measurements import Clock
from evaluator.records.reasons import Status
from evaluator.records.record import CaseRecord, read_record
from evaluator.tasks.reader import load_task
from evaluator.tasks.roofline import TimedWork, efficiency
from runs import verdicts
from runs.models import Attempt, Task
from runs.services import catalog
from runs.services.efficiency import fill_work
from tests import factories
from tests.records import make_gpu_case, make_gpu_record, make_record

RECORD = read_record((Path(__file__).parents[1] / "recorded" / "h100-silu-expert.json").read_bytes())
NAMES = ("work_ms", "work_bytes", "work_flops")
NOTHING = dict.fromkeys(NAMES)


def sums(record, work) -> dict:
    columns = verdicts.attempt_columns(record, work)
    return {name: columns[name] for name in NAMES}


def work_of(moved: float, flops: float, dtype: str = "float32") -> dict:
    return {"bytes": moved, "flops": flops, "dtype": dtype}


def case(case_id: str, candidate_us: float, *, baseline_us: float = 50.0, allowed: float | None = 1e-6) -> CaseRecord:
    return replace(make_gpu_case(case_id, baseline_us, candidate_us), allowed_rmse=allowed)


def test_it_adds_up_the_eligible_cases() -> None:
    """20 µs and 40 µs make 0.06 ms, 1 kB and 2 kB make 3 kB; the case of 5 µs is too short to count."""
    cases = (case("a=1", 20.0), case("a=2", 40.0), case("a=3", 4.0, baseline_us=5.0))
    work = {"a=1": work_of(1e3, 10.0), "a=2": work_of(2e3, 20.0, "bfloat16"), "a=3": work_of(9e9, 9e9)}
    found = sums(make_gpu_record(cases=cases), work)
    assert found["work_ms"] == pytest.approx(0.06)
    assert found["work_bytes"] == pytest.approx(3e3)
    assert found["work_flops"] == {"float32": 10.0, "bfloat16": 20.0}


def test_operations_are_kept_by_the_peak_that_they_face() -> None:
    """The second case was judged with a limit that admits TF32."""
    cases = (case("a=1", 20.0), case("a=2", 40.0, allowed=1.2e-3))
    found = sums(make_gpu_record(cases=cases), {"a=1": work_of(1.0, 10.0), "a=2": work_of(1.0, 20.0)})
    assert found["work_flops"] == {"float32": 10.0, "tf32": 20.0}


def test_a_case_without_a_model_leaves_no_number() -> None:
    record = make_gpu_record(cases=(case("a=1", 20.0), case("a=2", 40.0)))
    assert sums(record, {"a=1": work_of(1.0, 1.0)}) == NOTHING
    assert sums(record, {}) == sums(record, None) == NOTHING


def test_a_case_that_is_faster_than_the_clock_can_see_counts_with_its_measured_time() -> None:
    record = make_gpu_record(cases=(case("a=1", 2.0), case("a=2", 40.0)))
    assert record.cases[0].ratio.censored
    found = sums(record, {"a=1": work_of(1.0, 1.0), "a=2": work_of(1.0, 1.0)})
    assert found["work_ms"] == pytest.approx(0.042)


def test_a_claimed_time_of_next_to_nothing_is_kept_and_gives_no_rate() -> None:
    """5e-324 ms, the smallest float, would be 0 s, and a time of 0 no row of the database; 1e-305 ms give 1e317 B/s."""
    for time_ms, rate in ((5e-324, None), (1e-305, None), (1e-290, 1e302)):
        record = make_gpu_record(cases=(replace(case("a=1", 20.0), clocks={"t_dev": Clock((0.05,), (time_ms,))}),))
        found = sums(record, {"a=1": work_of(1e9, 0.0)})
        assert found["work_ms"] == time_ms
        shown = efficiency(TimedWork(time_ms / 1e3, found["work_bytes"], found["work_flops"]), "h100-sxm")
        assert shown.bytes_per_s == (rate and pytest.approx(rate))
        assert (shown.score is None) == (rate is None)


def test_a_cpus_functional_times_never_count() -> None:
    record = make_record()
    assert sums(record, {one.id: work_of(1.0, 1.0) for one in record.cases}) == NOTHING


def test_nor_do_times_of_a_candidate_that_failed() -> None:
    record = make_gpu_record(cases=(case("a=1", 20.0),))
    assert sums(record, {"a=1": work_of(1.0, 1.0)})["work_ms"] == pytest.approx(0.02)
    failed = replace(record, status=Status.IMPLAUSIBLE, gate="performance", reason="above_peak", message="Too fast.")
    assert sums(failed, {"a=1": work_of(1.0, 1.0)}) == NOTHING


def test_the_median_of_a_recorded_h100_gives_its_rates() -> None:
    """SiLU moves each element twice: 2 · rows · cols · itemsize bytes, and does 4 operations on each."""
    spec = load_task(RECORD.task.id)
    work = {
        one.id: {"bytes": b, "flops": f, "dtype": spec.main_dtype(one)}
        for one in spec.cases
        for b, f in [spec.work_of(one)]
    }
    found = sums(RECORD, work)
    full = [one for one in RECORD.cases if one.ratio and one.ratio.eligible]
    moved = sum(
        2 * one.axes["rows"] * one.axes["cols"] * {"float32": 4, "float16": 2, "bfloat16": 2}[one.axes["dtype"]]
        for one in full
    )
    time_ms = sum(median(one.clocks["t_dev"].candidate_ms) for one in full)
    assert found["work_bytes"] == pytest.approx(moved)
    assert found["work_ms"] == pytest.approx(time_ms)
    rates = efficiency(TimedWork(time_ms / 1e3, moved, found["work_flops"]), "h100-sxm")
    assert rates.iou == rates.score == pytest.approx(moved / (time_ms / 1e3) / 3.35e12)
    assert 0.5 < rates.iou < 1


def test_a_tasks_row_says_what_its_model_says(db) -> None:
    spec = load_task("triton2triton/arena/softmax")
    [row] = catalog.mirror_tasks(specs=[spec]).values()
    assert set(row.work) == {one.id for one in spec.cases}
    first = spec.cases[0]
    assert row.work[first.id] == {
        "bytes": spec.work_of(first)[0],
        "flops": spec.work_of(first)[1],
        "dtype": spec.main_dtype(first),
    }


def test_rows_from_before_the_model_was_stored_are_filled_once_even_where_they_are_published(db) -> None:
    record = make_gpu_record(cases=(case("a=1", 20.0),))
    task = factories.make_task(category="triton2triton")
    run = factories.make_run(suite=factories.make_suite([task]), with_results=False, state="published")
    result = factories.make_result(run=run, task=task)
    attempt = factories.publish(factories.make_recorded_attempt(result=result, record=record))
    assert fill_work() == 0
    Task.objects.filter(pk=task.pk).update(work={"a=1": work_of(1e3, 10.0)})
    assert (fill_work(), fill_work()) == (1, 0)
    filled = Attempt.objects.get(pk=attempt.pk)
    assert (filled.work_ms, filled.work_bytes, filled.work_flops) == (pytest.approx(0.02), 1e3, {"float32": 10.0})


def test_another_clock_does_not_stand_in_for_t_dev() -> None:
    only = replace(case("a=1", 20.0), clocks={"aka_loop": Clock((0.05,), (0.02,))}, ratio=None, sessions=())
    assert sums(make_gpu_record(cases=(only,)), {"a=1": work_of(1.0, 1.0)}) == NOTHING
