"""The share of the roofline on a result's page: of what a device class's makers promise."""

from __future__ import annotations

from dataclasses import replace

from evaluator.records.measurements import T_DEV
from evaluator.tasks.reader import load_task
from leaderboard.pages.result.cases import CaseFacts
from leaderboard.pages.result.times import roofline_tables

SPEC = load_task("triton2triton/arena/softmax")
FULL = next(case for case in SPEC.cases if case.profile == "full")


def timed(case_id: str, baseline_ms: float, candidate_ms: float) -> CaseFacts:
    untold = dict.fromkeys(("relative_rmse", "allowed_rmse", "baseline_rmse", "first_call_ms", "ratio"))
    told = {"id": case_id, "profile": "full", "split": "seen", "correct": True, "draws": 9, "clocks": ()}
    return CaseFacts(clock=T_DEV, baseline_ms=baseline_ms, candidate_ms=candidate_ms, **told, **untold)


def test_both_sides_have_their_share_of_the_least_time() -> None:
    least_ms = SPEC.work_of(FULL)[0] / 3.35e12 * 1e3
    (shown,) = roofline_tables([timed(FULL.id, 4 * least_ms, 2 * least_ms)], SPEC, "h100-sxm")
    [row] = shown.cells()
    assert (row["bound"].value, round(row["least_ms"].value, 9)) == ("memory", round(least_ms, 9))
    assert [round(row[f"{side}_share"].value, 9) for side in ("baseline", "candidate")] == [0.25, 0.5]
    assert row["candidate_share"].text.replace("\u00a0", " ") == "50 %"


def test_without_a_known_device_task_or_clock_there_is_no_table() -> None:
    case = timed(FULL.id, 1.0, 1.0)
    assert roofline_tables([case], SPEC, "cpu-x86_64") == ()
    assert roofline_tables([case], None, "h100-sxm") == ()
    assert roofline_tables([replace(case, clock="functional")], SPEC, "h100-sxm") == ()
