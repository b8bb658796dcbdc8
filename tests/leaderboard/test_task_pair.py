"""Case by case on a task's page: any two configurations of one device class, on the device clock."""

from __future__ import annotations

from math import log

import pytest

from runs.models import Attempt, Measurement, Suite
from tests import factories


@pytest.fixture
def task(suite: Suite):
    return suite.tasks.order_by("path").first()


@pytest.fixture
def timed(published, entry):
    """A public run with this speedup at every case."""

    def make(name: str, speedup: float, slug: str = "h100-sxm"):
        device = factories.make_device_class(slug=slug, architecture="sm_90", is_functional=False)
        run = published(configuration=entry(name, slug=f"{name.lower()}-{slug}"), device_class=device)
        attempts = Attempt.objects.filter(result__run=run)
        attempts.update(log_speedup=log(speedup), cautious_log_speedup=log(speedup))
        Measurement.objects.filter(attempt__in=attempts).update(
            baseline_t_dev_ms=1.0,
            candidate_t_dev_ms=1 / speedup,
            log_ratio=log(speedup),
            log_ratio_low=log(speedup) - 0.01,
            log_ratio_high=log(speedup) + 0.01,
            is_eligible=True,
        )
        return run

    return make


def test_the_fastest_two_of_a_device_class_are_compared(timed, page, task) -> None:
    for name, speedup in (("Slow", 1.1), ("Fast", 2.0), ("Middle", 1.5)):
        timed(name, speedup)
    shown = page(f"/task/{task.path}/")
    assert (shown.pair.first.name, shown.pair.second.name) == ("Fast", "Middle")
    assert [len(row.marks) for row in shown.charts["pair"].rows] == [2] * len(shown.pair_cases)
    row = shown.tables["pair"].cells()[0]
    assert [row[side].value for side in ("first", "second")] == pytest.approx([2.0, 1.5])
    assert row["ratio"].value == pytest.approx(2.0 / 1.5)


def test_any_two_can_be_chosen_and_the_address_says_which(timed, page, task) -> None:
    for name, speedup in (("Slow", 1.1), ("Fast", 2.0), ("Middle", 1.5)):
        timed(name, speedup)
    shown = page(f"/task/{task.path}/?a=slow-h100-sxm&b=fast-h100-sxm")
    assert (shown.pair.first.name, shown.pair.second.name) == ("Slow", "Fast")
    chosen = {choice.name: value for choice in shown.choices for value, _, is_chosen in choice.options if is_chosen}
    assert chosen == {"a": "slow-h100-sxm", "b": "fast-h100-sxm", "device": "h100-sxm"}
    same = page(f"/task/{task.path}/?a=slow-h100-sxm&b=slow-h100-sxm").pair
    assert (same.first.name, same.second.name) == ("Slow", "Fast")


def test_never_across_device_classes(timed, page, task) -> None:
    timed("Here", 1.5)
    timed("There", 2.0, slug="h200-sxm")
    shown = page(f"/task/{task.path}/?device=h200-sxm")
    assert (shown.pair, shown.choices, "pair" in shown.charts) == (None, (), False)


def test_a_wrong_case_has_no_bar_and_says_so(timed, page, task) -> None:
    timed("Fast", 2.0)
    wrong = timed("Wrong", 1.5)
    first = Measurement.objects.filter(attempt__result__run=wrong, attempt__result__task=task).first()
    first.correct = False
    first.save()
    shown = page(f"/task/{task.path}/")
    row = shown.tables["pair"].cells()[0]
    assert [row[key].text for key in ("second", "ratio")] == ["wrong", "–"]
    assert len(shown.charts["pair"].rows[0].marks) == 1


def test_a_hacked_result_is_wrong_in_each_case_and_has_no_speed(timed, page, task) -> None:
    timed("Fast", 2.0)
    timed("Cheat", 9.0).results.update(audit="hacked")
    shown = page(f"/task/{task.path}/")
    assert (shown.pair.first.name, shown.pair.second.name) == ("Fast", "Cheat")
    assert {row["second"].text for row in shown.tables["pair"].cells()} == {"wrong"}
    assert {len(row.marks) for row in shown.charts["pair"].rows} == {1}
    assert {one.second.log_ratio for one in shown.pair_cases} == {None}
