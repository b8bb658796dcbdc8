"""Portability: device classes side by side, never averaged; a speed only where it may count."""

from __future__ import annotations

from math import log

import pytest

from runs.models import Attempt
from tests import factories


@pytest.fixture
def tuner(entry):
    return entry("Tuner", slug="tuner")


@pytest.fixture
def run_on(published, tuner):
    """A public run of the tuner on a device class on which it has this log speedup."""

    def make(slug: str, log_speedup: float | None, *statuses: str, **values):
        device = factories.make_device_class(slug=slug, architecture="sm_90", is_functional=False)
        run = published(*statuses, configuration=tuner, device_class=device, **values)
        if log_speedup is not None:
            passed = Attempt.objects.filter(result__run=run, status="passed")
            passed.update(log_speedup=log_speedup, cautious_log_speedup=log_speedup)
        return run

    return make


def test_a_site_without_public_runs_says_so(db, client) -> None:
    assert b"No run is published yet" in client.get("/portability/").content


def test_right_answers_stand_by_device_class(run_on, page) -> None:
    run_on("h100-sxm", None)
    run_on("h200-sxm", None, "wrong_output", *["passed"] * 5)
    [entry] = page("/portability/").entries
    assert {slug: (one.correct, one.of) for slug, one in entry.devices.items()} == {
        "h100-sxm": (6, 6),
        "h200-sxm": (5, 6),
    }


def test_a_configuration_has_its_entrys_name_with_its_own_below(run_on, page) -> None:
    run_on("h100-sxm", None)
    [row] = page("/portability/").tables["entries"].cells()
    cell = row["configuration"]
    assert (cell.text, cell.value, cell.note) == ("Tuner", "tuner", "tuner")


def test_an_empty_cell_is_where_it_did_not_run(run_on, published, entry, page) -> None:
    run_on("h100-sxm", None)
    published(configuration=entry("Other", slug="other"))
    chart = page("/portability/").charts["correct"]
    assert {row.label: [cell.share for cell in row.cells] for row in chart.rows} == {
        "Other": [1.0, None],
        "Tuner": [None, 1.0],
    }


def test_a_task_has_its_speed_on_each_device_and_the_ratio_between_them(run_on, page) -> None:
    run_on("h100-sxm", log(1.5))
    run_on("h200-sxm", log(3.0), "wrong_output", *["passed"] * 5)
    first, second, *_ = page("/portability/?configuration=tuner").tasks
    assert (first.devices["h200-sxm"].passed, first.devices["h200-sxm"].speedup, first.spread) == (0, None, None)
    assert second.devices["h100-sxm"].speedup == pytest.approx(1.5)
    assert second.spread == pytest.approx(2.0)


def test_the_speed_of_several_runs_is_their_geometric_mean(run_on, page) -> None:
    run_on("h100-sxm", log(2.0))
    run_on("h100-sxm", log(8.0), repeat=1)
    task = page("/portability/?configuration=tuner").tasks[0]
    found = task.devices["h100-sxm"]
    assert (found.runs, found.passed, found.timed_runs) == (2, 2, 2)
    assert found.speedup == pytest.approx(4.0)


@pytest.mark.parametrize(
    "mark", [{"is_held": True}, {"is_uncalibrated": True}, {"protocol": "aka-scripts-1"}, {"audit": "hacked"}]
)
def test_a_speed_that_may_not_count_is_not_shown(run_on, page, mark) -> None:
    run = run_on("h100-sxm", log(2.0))
    rows = run.results if "audit" in mark else Attempt.objects.filter(result__run=run)
    rows.update(**mark)
    task = page("/portability/?configuration=tuner").tasks[0]
    assert task.devices["h100-sxm"].speedup is None


def test_the_same_source_everywhere_is_one_kernel(run_on, page) -> None:
    first, second = run_on("h100-sxm", None), run_on("h200-sxm", None)
    task = first.results.order_by("task__category", "task__path").first()
    second.results.filter(task=task.task).update(candidate_digest=task.candidate_digest)
    tasks = page("/portability/?configuration=tuner").tasks
    assert [one.candidates for one in tasks] == [1, 2, 2, 2, 2, 2]


def test_a_configuration_that_does_not_exist_has_no_task(run_on, page) -> None:
    run_on("h100-sxm", None)
    assert page("/portability/?configuration=nobody").tasks == ()
