"""AgentKernelArena: results measured here and submitted runs in the columns of its paper, by hand."""

from __future__ import annotations

from math import log

import pytest

from leaderboard.statistics.results import ResultValues
from runs.models import Claim
from tests import factories
from tests.leaderboard.arrays import WRONG, right
from tests.leaderboard.timed import make_timed_run

SPACE = "\u00a0"
GELU, SILU = "hip2hip/gpumode/GELU", "hip2hip/gpumode/SiLU"
MOE = "triton2triton/rocmbench/hard/moe_gemm"


def test_without_runs_it_says_how_to_make_and_to_submit_one(db, page) -> None:
    shown = page("/agentkernelarena/")
    assert "native-24" in shown.tables["own_runs"].empty
    assert "/submit/" in shown.tables["imported_runs"].empty
    assert (shown.own, shown.imported.runs) == ((), ())


def test_results_measured_here_have_the_papers_columns(db, page) -> None:
    suite = factories.make_suite([factories.make_task(source="arena") for _ in range(3)], name="native-24")
    # three tasks: 4 and 1 correct, one wrong: mean 5/3, geometric 2, score 20·3/3 + 100·2/3 + 100·5/3
    run = make_timed_run(suite=suite, name="One", results=[_paper(4.0), _paper(1.0), WRONG])
    [entry] = page("/agentkernelarena/").own
    found = entry.columns
    assert (found.category, found.tasks, found.runs, found.compiled, found.correct) == ("hip2hip", 3, 1, 3, 2)
    assert found.paper.mean_speedup.value == pytest.approx(5 / 3)
    assert found.paper.mean_score == pytest.approx(20 + 200 / 3 + 500 / 3)
    assert found.paper.geo_mean_speedup.value == pytest.approx(2)
    assert found.top_task.share == pytest.approx(0.8)
    [row] = page("/agentkernelarena/").tables["own_runs"].cells()
    assert row["correct"].text == f"2{SPACE}of{SPACE}3"  # no percentage of three tasks
    assert row["fast_2"].text == f"1{SPACE}of{SPACE}3"
    assert row["entry"].url == f"/board/native-24/hip2hip/{run.device_class.slug}/?view=paper"
    assert (found.p25, found.task_std) == (None, None)


def test_two_runs_have_a_spread_and_a_missing_result_refuses_the_mean(db, page) -> None:
    suite = factories.make_suite([factories.make_task(source="arena") for _ in range(2)], name="native-24")
    first = make_timed_run(suite=suite, name="One", results=[_paper(1.0), _paper(3.0)])
    same = {"configuration": first.configuration, "repeat": 2}
    make_timed_run(suite=suite, name="One", results=[_paper(3.0), _paper(3.0)], **same)
    [entry] = page("/agentkernelarena/").own
    mean = entry.columns.paper.mean_speedup
    assert (mean.value, mean.sigma_r) == (pytest.approx(2.5), pytest.approx(0.5**0.5))  # of 2 and 3
    make_timed_run(suite=suite, name="Two", results=[_paper(1.0), None])
    two = next(one for one in page("/agentkernelarena/").own if one.name == "Two")
    assert (two.columns.judged, two.columns.of, two.columns.paper.mean_speedup.value) == (1, 2, None)


def test_other_suites_and_reference_lines_are_no_entries(db, page) -> None:
    tasks = [factories.make_task(source="arena")]
    make_timed_run(suite=factories.make_suite(tasks, name="smoke"), name="One", results=[_paper(1.0)])
    native = factories.make_suite(tasks, name="native-24")
    make_timed_run(suite=native, name="expert", results=[_paper(1.0)], role="reference_line")
    assert page("/agentkernelarena/").own == ()


def test_a_submitted_run_has_its_rates_over_all_tasks_of_the_benchmark(db, page) -> None:
    submission = _handed_in("AgentKernelArena", "Sam's agent")
    _claim(submission, GELU, "passed", True, True, recomputed_speedup=3.0, claimed_speedup=9.0)
    _claim(submission, SILU, "implausible", True, True, claimed_speedup=5.0)  # correct, but its times are not believed
    _claim(submission, MOE, "wrong_output", True, False, claimed_speedup=7.0)
    shown = page("/agentkernelarena/")
    found = {one.columns.category: one for one in shown.imported.runs}
    whole, hip = found["all"], found["hip2hip"]
    assert (whole.stated, whole.columns.tasks, whole.columns.compiled, whole.columns.correct) == (3, 196, 3, 2)
    assert whole.columns.paper.mean_speedup.value is None  # clocks of categories differ
    assert (hip.columns.tasks, hip.columns.compiled, hip.columns.correct) == (24, 2, 2)
    assert hip.columns.paper.mean_speedup.value == pytest.approx(3 / 24)
    assert hip.columns.paper.mean_score == pytest.approx(20 * 2 / 24 + 100 * 2 / 24 + 100 * 3 / 24)
    assert hip.columns.paper.geo_mean_speedup.value == pytest.approx(3)
    assert found["triton2triton"].columns.paper.mean_speedup.value == 0
    cells = shown.tables["imported_runs"].cells()
    assert cells[0]["correct"].text == f"2{SPACE}of{SPACE}196 (1{SPACE}%)"
    assert cells[1]["fast_2"].text == f"1{SPACE}of{SPACE}24"
    assert "196" in shown.tables["imported_runs"].groups[0].title


def test_a_submitted_run_on_unseen_inputs_has_its_quadrants(db, page) -> None:
    submission = _handed_in("AgentKernelArena held-out", "Sam's agent")
    for task, quadrant in ((GELU, "both_pass"), (SILU, "opt_regression"), (MOE, "evaluation_error")):
        Claim.objects.create(
            submission=submission, task=task, status="not_judged", is_known=True, claimed={"quadrant": quadrant}
        )
    shown = page("/agentkernelarena/")
    hip = next(one for one in shown.imported.unseen if one.category == "hip2hip")
    assert (hip.both_pass, hip.regression, hip.both_fail, hip.improved) == (1, 1, 0, 0)
    row = shown.tables["imported_unseen"].cells()[0]
    assert row["conditional"].text == f"1{SPACE}of{SPACE}2"
    assert row["conditional"].value == 0.5


def test_claims_that_are_not_shown_yet_or_in_quarantine_do_not_count(db, page) -> None:
    _claim(_handed_in("AgentKernelArena", "Hidden", is_public=False), GELU, "passed", True, True, claimed_speedup=2.0)
    stranger = _handed_in("AgentKernelArena", "Stranger")
    _claim(stranger, GELU, "passed", True, True, claimed_speedup=2.0, is_known=False)
    assert {(one.name, one.columns.correct) for one in page("/agentkernelarena/").imported.runs} == {("Stranger", 0)}


def _paper(speedup: float) -> ResultValues:
    return right(log(speedup), paper=speedup)


def _handed_in(kind, agent, *, is_public: bool = True):
    return factories.make_submission(
        format=kind, state="accepted", claim_count=1, is_public=is_public, declared={"agent": agent}
    )


def _claim(submission, task, status, compiled, correct, *, is_known=True, **values) -> None:
    claimed = {"pass_compilation": compiled, "pass_correctness": correct}
    Claim.objects.create(submission=submission, task=task, status=status, is_known=is_known, claimed=claimed, **values)
