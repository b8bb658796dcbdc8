"""A record as an H100 made it (evaluator of 2026-11-28, one session, before flags were left to eligible cases)."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from evaluator.records.record import read_record
from runs import verdicts
from tests import factories

RECORD = read_record((Path(__file__).parents[1] / "recorded" / "h100-silu-expert.json").read_bytes())
FULL = [case for case in RECORD.cases if case.profile == "full"]


def test_its_ratio_is_that_of_its_raw_blocks() -> None:
    for case in FULL:
        assert case.ratio is not None
        assert math.exp(case.ratio.log_ratio) == pytest.approx(case.speedup)
        kept = [block for session in case.sessions for block in session.blocks if block.void is None]
        by_hand = [math.log(_median(block.baseline_ns) / _median(block.candidate_ns)) for block in kept]
        assert case.ratio.log_ratio == pytest.approx(sum(by_hand) / len(by_hand))


def test_its_columns_hold_a_speed_for_every_full_case() -> None:
    columns = verdicts.attempt_columns(RECORD)
    eligible = [case.ratio.log_ratio for case in RECORD.cases if case.ratio and case.ratio.eligible]
    assert len(eligible) == len(FULL)
    assert columns["log_speedup"] == pytest.approx(sum(eligible) / len(eligible))


@pytest.mark.usefixtures("archive_folder")
def test_its_page_shows_what_was_measured(db, page) -> None:
    task = factories.make_task(category="torch2hip")
    device = factories.make_device_class(slug="h100-sxm", architecture="sm_90", is_functional=False)
    run = factories.make_run(
        suite=factories.make_suite([task]), device_class=device, with_results=False, state="published"
    )
    result = factories.make_result(run=run, task=task)
    factories.publish(factories.make_recorded_attempt(result=result, record=RECORD))
    shown = page(f"/result/{result.pk}/")
    assert len(shown.tables["clocks"].groups) == len(RECORD.cases)


def _median(times: tuple[float, ...]) -> float:
    ordered, half = sorted(times), len(times) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
