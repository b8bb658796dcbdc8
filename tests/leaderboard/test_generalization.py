"""Golden values by hand; the working stands beside each."""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

import pytest

from evaluator.unseen.record import quadrant_of
from leaderboard import statistics
from leaderboard.statistics.generalization import (
    Generalization,
    Transfer,
    generalization,
    measures,
    transfer,
)
from leaderboard.statistics.task_runs import Speed, TaskRun, unseen_cases
from leaderboard.statistics.top_task import TopTask, top_task
from runs.models import UnseenMeasurement
from runs.verdicts import unseen_columns


class CaseOutcome(NamedTuple):
    category: str
    baseline: bool | None
    candidate: bool | None
    log_ratio: float | None = None
    is_eligible: bool = False

    def row(self) -> UnseenMeasurement:
        return UnseenMeasurement(
            category=self.category,
            baseline_correct=self.baseline,
            correct=self.candidate,
            log_ratio=self.log_ratio,
            is_eligible=self.is_eligible,
        )


BOTH, IMPROVED, FAILED, BROKEN = (
    CaseOutcome("edge", True, True),
    CaseOutcome("edge", False, True),
    CaseOutcome("edge", False, False),
    CaseOutcome("scale_up", True, False),
)
ERROR = CaseOutcome("edge", True, None)


def answer(*cases: CaseOutcome, task: str = "a", run: int = 1, seen_passed: bool = True, seen=None) -> TaskRun:
    stored = unseen_columns([case.row() for case in cases])
    speed = Speed(stored["mean_speedup"], stored["log_speedup"]) if stored["log_speedup"] is not None else None
    return TaskRun(task, run, seen_passed, seen, speed, unseen_cases(stored["outcomes"]))


def fast(log_unseen: float, *, task: str, run: int = 1, seen: float = 2.0) -> TaskRun:
    """Right everywhere, with one eligible unseen case, and one that is not."""
    cases = (CaseOutcome("edge", True, True, log_unseen, True), CaseOutcome("edge", True, True, 9.0))
    return answer(*cases, task=task, run=run, seen=Speed(seen, log(seen)))


def pooled(*answers: TaskRun):
    return measures(answers, is_functional=True)


@pytest.mark.parametrize(
    ("cases", "paper", "strict"),
    [
        ((BOTH, BOTH), "both_pass", "both_pass"),
        ((BOTH, BROKEN), "opt_regression", "opt_regression"),
        ((BOTH, IMPROVED), "opt_improvement", "opt_improvement"),
        ((BOTH, FAILED), "both_fail", "both_fail"),
        ((IMPROVED, FAILED), "both_fail", "both_fail"),
        ((FAILED, BROKEN), "both_fail", "opt_regression"),  # where the rules differ: the baseline fails elsewhere
        ((IMPROVED, BROKEN), "both_fail", "opt_regression"),
        ((BOTH, ERROR), None, None),
        ((BROKEN, ERROR), None, None),
        ((), None, None),
    ],
)
def test_a_task_is_right_where_all_its_cases_are(cases, paper, strict) -> None:
    assert answer(*cases).cases.paper == paper
    assert answer(*cases).cases.strict == strict


def test_a_case_without_a_verdict_on_either_side_has_no_quadrant() -> None:
    assert quadrant_of(None, True) == quadrant_of(True, None) == "evaluation_error"


def test_quadrants_count_answers_by_both_rules() -> None:
    found = pooled(answer(BOTH), answer(FAILED, BROKEN, task="b"), answer(ERROR, task="c"), answer(task="d"))
    assert (found.paper.both_pass, found.paper.both_fail, found.paper.opt_regression) == (1, 1, 0)
    assert (found.strict.both_pass, found.strict.both_fail, found.strict.opt_regression) == (1, 0, 1)
    assert (found.paper.of, found.paper.without_verdict) == (2, 2)


def test_conditional_correctness_asks_only_where_the_baseline_is_right() -> None:
    # b: a, b, c; y among them: a, b. The baseline fails on d and e, whatever the candidate does.
    found = pooled(
        answer(BOTH),
        answer(BOTH, task="b"),
        answer(BROKEN, task="c"),
        answer(FAILED, task="d"),
        answer(IMPROVED, task="e"),
    ).conditional
    assert (found.count, found.of, found.tasks, found.share) == (2, 3, 3, 2 / 3)


def test_retention_leaves_out_what_never_worked_on_seen_cases() -> None:
    # of a, b, c the candidate of c failed its seen cases too: 2 of 3 in the paper's sense, 2 of 2 are retained
    found = pooled(answer(BOTH), answer(BOTH, task="b"), answer(BROKEN, task="c", seen_passed=False))
    assert (found.conditional.count, found.conditional.of) == (2, 3)
    assert (found.retention.count, found.retention.of, found.retention.share) == (2, 2, 1)


def test_cases_are_counted_by_themselves_and_by_config_category() -> None:
    # edge: both, both, failed (baseline wrong), error → 2 of 2 from 1 task; scale_up: broken in a and b → 0 of 2
    found = pooled(answer(BOTH, BOTH, FAILED, ERROR, BROKEN), answer(BROKEN, task="b"))
    assert (found.cases.count, found.cases.of, found.cases.tasks) == (2, 4, 2)
    by_name = {one.category: one.conditional for one in found.categories}
    assert list(by_name) == ["edge", "scale_up", "scale_down", "alignment", "asymmetric", "production"]
    assert (by_name["edge"].count, by_name["edge"].of, by_name["edge"].tasks) == (2, 2, 1)
    assert (by_name["scale_up"].count, by_name["scale_up"].of, by_name["scale_up"].tasks) == (0, 2, 2)
    assert (by_name["production"].of, by_name["production"].share) == (0, None)


def test_an_evaluation_error_is_in_no_denominator_and_leaves_the_entry_incomplete() -> None:
    found = generalization([answer(BOTH), answer(ERROR, task="b"), answer(BROKEN, task="c")], is_functional=True)
    conditional = found.pooled.conditional
    assert not found.is_complete
    assert (conditional.count, conditional.of) == (1, 2)
    assert (conditional.worst, conditional.best) == (1 / 3, 2 / 3)
    assert (found.pooled.cases.worst, found.pooled.cases.best) == (None, None)


def test_a_share_of_nothing_is_no_number() -> None:
    found = pooled(answer(FAILED)).conditional
    assert (found.count, found.of, found.share, found.worst) == (0, 0, None, None)
    assert found.refused == "The baseline is never correct."


def test_the_interval_takes_the_task_as_the_unit() -> None:
    # six tasks, two runs each that agree, one task broken: 10 of 12, and n = 6: Wilson's 0.436 to 0.970
    answers = [answer(BROKEN if k == 0 else BOTH, task=str(k), run=run) for k in range(6) for run in (1, 2)]
    found = pooled(*answers).conditional
    assert (found.count, found.of, found.tasks) == (10, 12, 6)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((0.436496, 0.969946), abs=2e-6)


def test_below_six_tasks_there_is_no_interval_however_many_runs() -> None:
    found = pooled(*(answer(BOTH, task=str(k), run=run) for k in range(5) for run in (1, 2))).conditional
    assert (found.of, found.interval, found.refused) == (10, None, "An interval needs 6 tasks; there are 5.")


def test_tasks_with_different_numbers_of_runs_are_discounted_by_kish() -> None:
    # sizes 2, 1, 1: Σm²/N = 6/4 = 1.5. Means 1/2, 1, 0, grand mean 1/2: between = (0 + 1/4 + 1/4)/2 = 1/4,
    # within = 1/2, so ρ̂ < 0 is cut to 0 and n = 4
    assert statistics.effective_size(*statistics.counted([[True, False], [True], [False]])) == pytest.approx(4)
    # sizes 3, 1: agreeing runs → ρ̂ = 1, n = 4/(10/4) = 1.6
    assert statistics.effective_size(*statistics.counted([[True] * 3, [False]])) == pytest.approx(1.6)
    # sizes 3, 2, 1: [1,1,0], [1,1], [0]: N = 6, grand mean 2/3, between = (3·0 + 2·1/9 + 4/9)/2 = 1/3, within = (2/3)/3
    # = 2/9, m₀ = (6 − 14/6)/2 = 11/6; ρ̂ = (1/9)/(1/3 + (5/6)·2/9) = 3/14; n = 6/(1 + (14/6 − 1)·3/14) = 14/3
    uneven = [[True, True, False], [True, True], [False]]
    assert statistics.agreement(*statistics.counted(uneven)) == pytest.approx(3 / 14)
    assert statistics.effective_size(*statistics.counted(uneven)) == pytest.approx(14 / 3)


def test_runs_are_given_each_and_averaged() -> None:
    # run 1: 2 of 2, run 2: 1 of 2; pooled 3 of 4, run-averaged (1 + 1/2)/2
    answers = [answer(BOTH, run=1), answer(BOTH, task="b", run=1), answer(BOTH, run=2), answer(BROKEN, task="b", run=2)]
    found = generalization(answers, is_functional=True)
    assert [(one.run, one.measures.conditional.share) for one in found.runs] == [(1, 1), (2, 0.5)]
    assert (found.pooled.conditional.share, found.run_averaged.conditional) == (0.75, 0.75)
    assert found.is_complete


def test_a_run_average_over_unequal_runs_differs_from_the_pooled_share() -> None:
    # run 1: 1 of 2; run 2: 1 of 1, since the baseline fails on b there: pooled 2/3, run-averaged 3/4
    answers = [answer(BOTH), answer(BROKEN, task="b"), answer(BOTH, run=2), answer(FAILED, task="b", run=2)]
    found = generalization(answers, is_functional=True)
    assert (found.pooled.conditional.share, found.run_averaged.conditional) == (2 / 3, 0.75)


def test_a_run_that_has_no_value_has_no_part_in_a_mean() -> None:
    found = generalization([answer(BOTH), answer(FAILED, run=2)], is_functional=True)
    assert found.run_averaged.conditional is None


def twelve(shifts: list[float], **values) -> list[TaskRun]:
    return [fast(log(2.0) + shift, task=str(k), **values) for k, shift in enumerate(shifts)]


def test_gap_and_absolute_gap_are_of_arithmetic_means() -> None:
    # seen 2 everywhere; unseen 1 on six tasks and 2 on six: means 2 and 1.5, gap 1/4, absolute 1/2
    found = transfer(twelve([log(0.5), 0.0] * 6), is_functional=False)
    assert (found.tasks, found.refused) == (12, None)
    assert (found.seen, found.unseen) == pytest.approx((2, 1.5))
    assert (found.gap, found.absolute_gap) == pytest.approx((0.25, 0.5))


def test_the_transfer_ratio_is_geometric_with_a_t_interval_over_tasks() -> None:
    # shifts ±0.1 around 0.2: sd = 0.1·√(12/11); half = t(0.975, 11)·sd/√12 = 2.200985·0.1/√11 = 0.0663622
    found = transfer(twelve([0.1, 0.3] * 6), is_functional=False)
    assert found.ratio == pytest.approx(exp(0.2))
    assert found.interval is not None
    half = 2.200985 * 0.1 / sqrt(11)
    assert half == pytest.approx(0.0663622, abs=1e-6)
    assert (found.interval.low, found.interval.high) == pytest.approx((exp(0.2 - half), exp(0.2 + half)), rel=1e-6)


def test_runs_are_averaged_within_a_task_before_tasks_are() -> None:
    # task 0 has shifts 0 and 0.24 in two runs, eleven others none: the mean over tasks is 0.12/12 = 0.01
    answers = [*twelve([0.0] * 12), fast(log(2.0) + 0.24, task="0", run=2)]
    assert transfer(answers, is_functional=False).ratio == pytest.approx(exp(0.01))


def test_a_task_s_unseen_speed_is_of_its_eligible_cases() -> None:
    cases = (
        CaseOutcome("edge", True, True, log(2.0), True),
        CaseOutcome("edge", True, True, log(8.0), True),
        CaseOutcome("edge", True, True, log(100.0), False),
        CaseOutcome("edge", True, True),
    )
    assert answer(*cases).unseen == Speed(pytest.approx(5), pytest.approx(log(4.0)))
    assert answer(BOTH).unseen is None


@pytest.mark.parametrize(
    "spoilt",
    [
        answer(CaseOutcome("edge", True, True, 0.1, True), task="11"),  # no eligible seen case
        answer(BOTH, task="11", seen=Speed(2.0, log(2.0))),  # no eligible unseen case
        answer(CaseOutcome("edge", True, True, 0.1, True), BROKEN, task="11", seen=Speed(2.0, log(2.0))),
        answer(CaseOutcome("edge", True, True, 0.1, True), ERROR, task="11", seen=Speed(2.0, log(2.0))),
    ],
    ids=["seen is not eligible", "unseen is not eligible", "a regression", "an error"],
)
def test_eleven_tasks_are_too_few_for_a_word_on_speed(spoilt) -> None:
    found = transfer([*twelve([0.0] * 11), spoilt], is_functional=False)
    assert found == Transfer(11, found.refused)
    assert "needs 12 tasks; there are 11" in (found.refused or "")


def test_functional_times_say_nothing_on_speed_however_many() -> None:
    found = transfer(twelve([0.0] * 12), is_functional=True)
    assert found == Transfer(12, "Functional times are not compared.")


def test_the_gaps_of_runs_are_averaged_where_each_run_has_one() -> None:
    # run 1: gap 1/4; run 2: unseen 2, gap 0; pooled: unseen (1.5 + 2)/2 = 1.75, gap 1/8; averaged 1/8
    both = [*twelve([log(0.5), 0.0] * 6), *twelve([0.0] * 12, run=2)]
    found: Generalization = generalization(both, is_functional=False)
    assert [one.measures.transfer.gap for one in found.runs] == pytest.approx([0.25, 0.0])
    assert found.run_averaged.gap == pytest.approx(0.125)
    one_run_is_short = generalization(both[:-1], is_functional=False)
    assert one_run_is_short.run_averaged.gap is None
    assert one_run_is_short.pooled.transfer.refused is None


def test_the_largest_tasks_part_stands_beside_both_means() -> None:
    # eleven tasks of one run at 2 on both sides; the twelfth, in two runs, 2 on seen cases and 2·12 on unseen ones:
    # its parts are 4 of 22 + 4, and 48 of 22 + 48
    answers = [*twelve([0.0] * 11), *(fast(log(24.0), task="11", run=run) for run in (1, 2))]
    found = transfer(answers, is_functional=False)
    assert (found.seen_top, found.unseen_top) == (
        TopTask("11", pytest.approx(4 / 26)),
        TopTask("11", pytest.approx(48 / 70)),
    )


def test_of_nothing_there_is_no_largest_task() -> None:
    assert top_task([]) is None
    assert top_task([("a", 0.0)]) is None
