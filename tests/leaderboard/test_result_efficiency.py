"""Hardware efficiency on a result's page: rates and shares of what a device class's makers promise."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from evaluator.records.reasons import Status
from evaluator.tasks.peaks import PEAKS
from leaderboard.pages.efficiency.cells import FASTER_THAN_MEMORY
from leaderboard.pages.metrics.page import METRICS
from runs.models import Result
from tests import factories
from tests.leaderboard.conftest import address
from tests.records import make_gpu_case, make_gpu_record, make_record

CASE = "cols=1024,rows=1024"


@pytest.fixture(autouse=True)
def archive(archive_folder: Any) -> None:
    """Records go to a folder of the test's own."""


def timed(*cases: Any, work: dict[str, Any], device: str = "h100-sxm", **outcome: Any) -> Result:
    """A public result on a device with a clock, of a task with this work."""
    task = factories.make_task(category="triton2triton", work=work)
    made = factories.make_device_class(slug=device, architecture="sm_90", is_functional=False)
    suite = factories.make_suite([task], name="timed")
    run = factories.make_run(suite=suite, device_class=made, with_results=False, state="published")
    result = factories.make_result(run=run, task=task)
    record = replace(make_gpu_record(cases=cases), **outcome)
    factories.publish(factories.make_recorded_attempt(result=result, record=record))
    return result


def test_a_case_shows_rates_shares_and_both_sides(db, page) -> None:
    """100 µs for 67 MB are 670 GB/s, 20 % of 3,350; 3.345 GFLOP are 33.45 TFLOP/s, half of float32's peak.

    The baseline takes twice as long, so its score is half of that. At the peaks the operations alone take 50 µs.
    """
    work = {CASE: {"bytes": 67e6, "flops": 3.345e9, "dtype": "float32"}}
    shown = page(address(timed(make_gpu_case(CASE, 200.0, 100.0), work=work)))
    [row] = shown.tables["efficiency"].cells()
    values = {name: cell.value for name, cell in row.items()}
    assert (values["gb_per_s"], values["tflop_per_s"]) == (pytest.approx(670), pytest.approx(33.45))
    assert (values["iou"], values["mfu"], values["score"]) == (
        pytest.approx(0.2),
        pytest.approx(0.5),
        pytest.approx(0.5),
    )
    assert values["baseline_score"] == pytest.approx(0.25)
    assert (values["bound"], values["least_ms"], values["peak"]) == ("arithmetic", pytest.approx(0.05), "float32")
    assert shown.efficiency.found.score == pytest.approx(0.5)
    assert shown.efficiency.sentence.replace("\u00a0", " ").startswith("50 % of the nearer peak (IOU 20 %, MFU 50 %)")


def test_the_tasks_figure_is_total_work_over_total_time(db, page) -> None:
    """100 µs + 300 µs for 33.5 MB + 100.5 MB: 134 MB / 0.4 ms = 335 GB/s, a tenth. A case of 5 µs does not count."""
    work = {
        name: {"bytes": moved, "flops": 0.0, "dtype": "float32"}
        for name, moved in (("n=1", 33.5e6), ("n=2", 100.5e6), ("n=3", 9e9))
    }
    cases = (make_gpu_case("n=1", 200.0, 100.0), make_gpu_case("n=2", 200.0, 300.0), make_gpu_case("n=3", 6.0, 5.0))
    shown = page(address(timed(*cases, work=work)))
    assert shown.efficiency.found.bytes_per_s == pytest.approx(335e9)
    assert (shown.efficiency.found.iou, shown.efficiency.found.mfu) == (pytest.approx(0.1), None)
    assert [one.counts for one in shown.efficiency.cases] == [True, True, False]


def test_a_share_above_the_peak_is_shown_with_its_likely_cause_and_changes_no_status(db, page, client) -> None:
    """670 MB in 100 µs are 6.7 TB/s, twice an H100's."""
    work = {CASE: {"bytes": 670e6, "flops": 0.0, "dtype": "float32"}}
    result = timed(make_gpu_case(CASE, 200.0, 100.0), work=work)
    shown = page(address(result))
    [row] = shown.tables["efficiency"].cells()
    assert row["iou"].text.replace("\u00a0", " ") == "200 %"
    assert shown.efficiency.findings == (FASTER_THAN_MEMORY,)
    assert (shown.status, shown.findings) == ("passed", ())
    assert FASTER_THAN_MEMORY in unescape(client.get(address(result)).content.decode())


def test_a_single_case_above_the_peak_has_a_finding_though_the_task_is_below(db, page) -> None:
    """500 MB in 100 µs are 5 TB/s, 149 % of an H100's; with 100 MB in 900 µs more 0.6 TB/s, 18 %."""
    work = {name: {"bytes": moved, "flops": 0.0, "dtype": "int8"} for name, moved in (("n=1", 500e6), ("n=2", 100e6))}
    cases = make_gpu_case("n=1", 200.0, 100.0), make_gpu_case("n=2", 2000.0, 900.0)
    shown = page(address(timed(*cases, work=work))).efficiency
    assert shown.found.iou == pytest.approx(0.6 / 3.35)
    assert shown.findings == (FASTER_THAN_MEMORY,)


def test_no_case_counts_in_the_figure_of_a_rejected_candidate(db, page) -> None:
    work = {CASE: {"bytes": 67e6, "flops": 0.0, "dtype": "float32"}}
    outcome = {"status": Status.IMPLAUSIBLE, "gate": "performance", "reason": "above_peak", "message": "Too fast."}
    shown = page(address(timed(make_gpu_case(CASE, 200.0, 100.0), work=work, **outcome))).efficiency
    assert (shown.found, [one.counts for one in shown.cases]) == (None, [False])


def test_without_a_known_device_the_rates_stay_and_the_reason_is_told(db, page) -> None:
    work = {CASE: {"bytes": 67e6, "flops": 0.0, "dtype": "float32"}}
    shown = page(address(timed(make_gpu_case(CASE, 200.0, 100.0), work=work, device="unknown-gpu")))
    assert shown.efficiency.found.score is None
    assert "no score: no peak rates of this device class are known" in shown.efficiency.sentence
    [row] = shown.tables["efficiency"].cells()
    assert (row["gb_per_s"].value, row["iou"].value) == (pytest.approx(670), None)


def test_without_a_model_or_a_clock_there_is_nothing(db, page, result) -> None:
    shown = page(address(timed(make_gpu_case(CASE, 200.0, 100.0), work={})))
    assert (shown.efficiency.found, shown.efficiency.cases) == (None, ())
    assert "efficiency" not in shown.tables
    record = make_record()
    factories.publish(factories.make_recorded_attempt(result=result, record=record))
    result.task.work = {one.id: {"bytes": 1e6, "flops": 1.0, "dtype": "float32"} for one in record.cases}
    result.task.save()
    functional = page(address(result))
    assert (functional.efficiency.found, functional.efficiency.cases) == (None, ())


def test_every_peak_is_public_with_its_source(db, page, client) -> None:
    shown = page("/peaks/")
    assert {row.device_class for row in shown.peaks} == set(PEAKS)
    row = next(one for one in client.get("/api/v1/peaks/peaks.json").json() if one["device_class"] == "h200-sxm")
    assert (row["gb_per_s"], row["tf32"], row["float32"]) == (4800, 494.7, 66.9)
    sources = client.get("/api/v1/peaks/sources.json").json()
    assert all(one["source"] and one["checked"] for one in sources)


def test_their_formulas_are_on_the_metrics_page() -> None:
    assert {"throughput", "iou", "mfu", "hardware-score", "roofline"} <= {metric.slug for metric in METRICS}
