"""One kernel on several devices: ratios, disagreements and slower results, measured here and claimed elsewhere."""

from __future__ import annotations

from math import log

import pytest

from runs.models import Attempt, Claim, Result
from tests import factories


@pytest.fixture
def tuner(entry):
    return entry("Tuner", slug="tuner")


@pytest.fixture
def run_on(published, tuner):
    """A public run of the tuner on a device class, with the same candidates everywhere and these log speedups."""

    def make(slug: str, *speeds: float | None, functional: bool = False, **values):
        device = factories.make_device_class(slug=slug, architecture="sm_90", is_functional=functional)
        statuses = ["wrong_output" if speed is None else "passed" for speed in speeds]
        run = published(*statuses, configuration=values.pop("configuration", tuner), device_class=device, **values)
        for at, (result, speed) in enumerate(zip(run.results.order_by("task__path"), speeds, strict=True)):
            Result.objects.filter(pk=result.pk).update(candidate_digest=factories.sha256(("candidate", at)))
            if speed is not None:
                Attempt.objects.filter(result=result).update(
                    log_speedup=speed, cautious_log_speedup=speed, log_speedup_high=speed + 0.05
                )
        return run

    return make


def test_the_ratio_of_one_candidate_is_its_largest_over_its_smallest_speedup(run_on, page) -> None:
    # Ratios 1, 1.25, 1.5, 2, 3, 4: median 1.75, mean 12.75 / 6 = 2.125
    first = [log(2.0)] * 6
    run_on("h100-sxm", *first)
    run_on("h200-sxm", *(log(2.0 * ratio) for ratio in (1, 1.25, 1.5, 2, 3, 4)))
    [line] = page("/portability/").spreads
    assert (line.kernels, line.found.pairs, line.found.tasks) == ("The same candidate, entries", 6, 6)
    assert (line.found.median, line.found.mean, line.found.largest) == pytest.approx((1.75, 2.125, 4.0))
    assert page("/portability/").charts["spreads"].names


def test_three_devices_count_once_and_another_candidate_does_not(run_on, page) -> None:
    for slug, speed in (("h100-sxm", 1.0), ("h200-sxm", 2.0), ("l20", 6.0)):
        run_on(slug, *[log(speed)] * 6)
    other = run_on("a100", *[log(40.0)] * 6)
    for result in other.results.all():
        Result.objects.filter(pk=result.pk).update(candidate_digest=factories.sha256(("other", result.pk)))
    [line] = page("/portability/").spreads
    assert (line.found.pairs, line.found.largest) == (6, pytest.approx(6.0))


def test_fewer_than_six_tasks_have_no_distribution(run_on, page) -> None:
    run_on("h100-sxm", *[0.1] * 5, None)
    run_on("h200-sxm", *[0.2] * 5, None)
    shown = page("/portability/")
    assert shown.spreads[0].found.median is None
    assert "there are 5." in shown.tables["spreads"].cells()[0]["median"].note
    assert "spreads" not in shown.charts


def test_a_chosen_configuration_has_a_line_of_its_own(run_on, page) -> None:
    run_on("h100-sxm", *[log(2.0)] * 6)
    run_on("h200-sxm", *[log(3.0)] * 6)
    lines = page("/portability/?configuration=tuner").spreads
    assert [line.kernels for line in lines] == ["The same candidate, entries", "Tasks of tuner"]
    assert lines[1].found.median == pytest.approx(1.5)


def test_a_line_that_ranks_nowhere_stands_apart(run_on, entry, page) -> None:
    line = entry("Expert", slug="expert", role="reference_line")
    for slug in ("h100-sxm", "h200-sxm"):
        run_on(slug, *[0.1] * 6, configuration=line)
    assert [(one.kernels, one.found.pairs) for one in page("/portability/").spreads] == [
        ("The same candidate, entries", 0),
        ("The same candidate, reference lines", 6),
    ]


def test_right_on_one_and_wrong_on_another_leads_to_both_results(run_on, page) -> None:
    here = run_on("h100-sxm", None, *[0.1] * 5)
    there = run_on("cpu-x86_64", *[0.1] * 6, functional=True)
    shown = page("/portability/")
    [found] = shown.disagreements
    assert ([one.device for one in found.right_on], [one.device for one in found.wrong_on]) == (
        ["cpu-x86_64"],
        ["h100-sxm"],
    )
    [row] = shown.tables["disagreements"].cells()
    task = here.results.order_by("task__path").first().task
    results = {run: run.results.get(task=task).pk for run in (here, there)}
    assert (row["right_on"].url, row["wrong_on"].url) == (f"/result/{results[there]}/", f"/result/{results[here]}/")
    assert row["wrong_on"].note == "wrong output"


@pytest.mark.parametrize("mark", [{"is_held": True}, {"protocol": "aka-scripts-1"}, {"is_uncalibrated": True}])
def test_a_verdict_that_does_not_count_is_no_disagreement(run_on, page, mark) -> None:
    run = run_on("h100-sxm", None, *[0.1] * 5)
    run_on("h200-sxm", *[0.1] * 6)
    Attempt.objects.filter(result__run=run, status="wrong_output").update(**mark)
    assert page("/portability/").disagreements == ()


def test_slower_results_are_counted_by_device(run_on, page) -> None:
    # Intervals end 0.05 above: −0.5 twice below 1 in both senses, −0.02 by the speedup alone
    run_on("h100-sxm", -0.5, -0.5, -0.02, 0.3, 0.3, None)
    run_on("l20", *[0.3] * 6)
    run_on("cpu-x86_64", *[-0.5] * 6, functional=True)
    shown = page("/portability/")
    assert [(row.device, row.correct, row.timed, row.tasks, row.below, row.under) for row in shown.slower] == [
        ("h100-sxm", 5, 5, 5, 2, 3),
        ("l20", 6, 6, 6, 0, 0),
    ]
    assert shown.tables["slower"].cells()[0]["under"].text == "3\u00a0of\u00a05"


def test_another_suite_has_its_own_numbers(run_on, tuner, page) -> None:
    """Without a choice it is the suite on most device classes, whatever is newer."""
    for slug, speed in (("h100-sxm", 2.0), ("h200-sxm", 3.0)):
        run_on(slug, *[log(speed)] * 6)
    other = factories.make_suite([factories.make_task() for _ in range(7)], name="other")
    device = factories.make_device_class(slug="l20", architecture="sm_90", is_functional=False)
    values = {"status": "passed", "state": "published"}
    run = factories.make_run(suite=other, configuration=tuner, device_class=device, **values)
    Attempt.objects.filter(result__run=run).update(log_speedup=-0.5, cautious_log_speedup=-0.5, log_speedup_high=-0.4)
    first, chosen = page("/portability/"), page("/portability/?suite=other&configuration=tuner")
    assert (first.suite, first.spreads[0].found.median) == ("smoke", pytest.approx(1.5))
    assert [(row.suite, row.device, row.under) for row in first.slower] == [
        ("smoke", "h100-sxm", 0),
        ("smoke", "h200-sxm", 0),
    ]
    assert (chosen.spreads[0].found.pairs, len(chosen.tasks)) == (0, 7)
    assert [(row.suite, row.device, row.under) for row in chosen.slower] == [("other", "l20", 7)]
    nobody = page("/portability/?suite=nobody")
    assert (nobody.slower, nobody.spreads[0].found.pairs, nobody.is_filtered) == ((), 0, True)


def test_before_the_current_protocol_has_results_those_of_the_last_one_stand_there(run_on, page) -> None:
    for slug, speed in (("h100-sxm", 2.0), ("h200-sxm", 3.0)):
        run = run_on(slug, *[log(speed)] * 6, protocol="arena-1")
        Attempt.objects.filter(result__run=run).update(protocol="arena-1")
    shown = page("/portability/")
    assert (shown.protocol, shown.spreads[0].found.pairs) == ("arena-1", 6)


@pytest.mark.parametrize("current", ["arena-11", "arena-10"])
def test_the_tenth_protocol_is_newer_than_the_ninth(current, run_on, page, monkeypatch) -> None:
    monkeypatch.setattr("leaderboard.pages.portability.page.PROTOCOL", current)
    for protocol, slug in (("arena-9", "h100-sxm"), ("arena-10", "h200-sxm")):
        run_on(slug, *[log(2.0)] * 6, protocol=protocol)
    assert page("/portability/").protocol == "arena-10"


def test_a_hacked_result_is_wrong_and_has_no_speed(run_on, page) -> None:
    """Runs of one device class are averaged: log 2 and log 8 are log 4, over log 2 a ratio of 2."""
    run_on("h100-sxm", *[log(2.0)] * 6)
    run_on("h200-sxm", *[log(2.0)] * 6)
    again = run_on("h200-sxm", *[log(8.0)] * 6, repeat=1)
    assert page("/portability/").spreads[0].found.median == pytest.approx(2.0)
    Result.objects.filter(run=again).update(audit="hacked")
    shown = page("/portability/")
    assert shown.spreads[0].found.median == pytest.approx(1.0)
    assert [(one.right_on[0].device, one.wrong_on[0].passed, one.wrong_on[0].runs) for one in shown.disagreements] == [
        ("h100-sxm", 1, 2)
    ] * 6


def test_claims_of_one_method_on_two_machines_are_compared_as_claimed(db, page) -> None:
    tasks = [f"Activation/{n}.py" for n in range(7)]
    claim_run("GEAK", "a100", dict.fromkeys(tasks, 1.0))
    claim_run("GEAK", "l20", dict.fromkeys(tasks[:6], 0.5) | {tasks[6]: None})
    claim_run("Other", "l20", dict.fromkeys(tasks, 9.0))
    shown = page("/portability/")
    line = shown.spreads[-1]
    assert (line.is_claimed, line.found.pairs, line.found.median) == (True, 6, pytest.approx(2.0))
    assert shown.tables["spreads"].cells()[-1]["kernels"].note == "as claimed"
    assert [(one.machine, one.runs, one.timed, one.under) for one in shown.claimed_machines] == [
        ("a100", 1, 7, 0),
        ("l20", 2, 13, 6),
    ]
    assert "5090" in shown.tables["claimed_machines"].cells()[1]["machine"].note  # as its published files are
    [found] = shown.claimed_disagreements
    assert (found.task, found.right_on[0].device, found.wrong_on[0].device) == (tasks[6], "a100", "l20")


def test_without_any_it_says_what_to_do(db, page) -> None:
    shown = page("/portability/")
    assert shown.tables["claimed_machines"].empty.endswith("See Submit for how to hand them in.")
    assert shown.tables["slower"].empty.startswith("No entry has a correct result under arena-")


def claim_run(agent: str, machine: str, speeds: dict[str, float | None]) -> None:
    submission = factories.make_submission(
        format="KernelBench-X",
        state="accepted",
        claim_count=len(speeds),
        is_public=True,
        declared={"agent": agent, "golden_machine": machine},
    )
    for task, speed in speeds.items():
        status = "wrong_output" if speed is None else "passed"
        claimed = {"call_ok": True, "exe_ok": speed is not None}
        Claim.objects.create(
            submission=submission,
            task=task,
            is_known=True,
            status=status,
            claimed=claimed,
            claimed_speedup=speed,
        )
