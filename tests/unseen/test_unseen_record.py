from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import pytest

from evaluator import codec
from evaluator.records.measurements import Clock, Ratio
from evaluator.unseen.record import QUADRANTS, problems_of, read_unseen, write_unseen
from tests.records import make_outcome, make_unseen_case, make_unseen_record

CLOCK = Clock((2.0,), (1.0,))


def test_a_written_record_reads_back_as_it_was(tmp_path):
    record = make_unseen_record()
    write_unseen(record, tmp_path / "unseen" / "task.json")
    assert read_unseen((tmp_path / "unseen" / "task.json").read_bytes()) == record
    assert [path.name for path in (tmp_path / "unseen").iterdir()] == ["task.json"]


def test_the_quadrant_follows_from_both_sides_and_is_not_stored():
    record = make_unseen_record()
    assert {case.quadrant for case in record.cases} == set(QUADRANTS)
    assert [record.count(quadrant) for quadrant in QUADRANTS] == [1, 1, 1, 1, 1]
    assert "quadrant" not in codec.dumps(record)


def test_a_side_that_was_not_judged_makes_an_error_of_its_case_and_the_record_incomplete():
    case = make_unseen_case(8, "edge", candidate="unsupported_feature")
    assert case.quadrant == "evaluation_error"
    assert not make_unseen_record(cases=(case,), flags=()).is_complete


def test_a_speedup_follows_from_the_ratio_alone():
    ratio = Ratio(0.0, None, None, None, None, eligible=True, censored=False, noisy=False)
    timed = make_unseen_case(8, "edge", clocks={"t_dev": CLOCK}, ratio=ratio)
    assert timed.speedup == 1.0
    assert make_unseen_case(8, "edge").speedup is None


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"schema": 2}, "schema"),
        ({"round": "the secret itself"}, "round"),
        ({"round": "D" * 64}, "round"),
        ({"cases": (), "flags": ()}, "there are none"),
        ({"cases": (make_unseen_case(8, "edge"), make_unseen_case(8, "production"))}, "listed 2 times"),
        ({"flags": ()}, "functional is required with"),
        ({"seconds": {"total": -1.0}}, "a negative duration"),
    ],
)
def test_a_record_that_breaks_a_rule_is_refused(changes, problem, tmp_path):
    record = make_unseen_record(**changes)
    assert any(problem in text for text in problems_of(record))
    with pytest.raises(codec.DecodeError):
        write_unseen(record, tmp_path / "r.json")
    with pytest.raises(codec.DecodeError):
        read_unseen(codec.dumps(record))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"id": "cols=8,rows=9"}, "does not fit the axes"),
        ({"clocks": {}}, "where both sides are correct"),
        ({"candidate": make_outcome("mismatch")}, "where both sides are correct"),
        ({"clocks": {"functional": Clock((0.0,), (1.0,))}}, "not positive"),
        ({"clocks": {"functional": Clock((), (1.0,))}}, "times of both sides"),
        ({"clocks": {"t_dev": CLOCK}}, "a ratio is required"),
        ({"baseline": make_outcome(draws=0)}, "a correct side needs a draw"),
        ({"baseline": make_outcome(message="fine")}, "a correct side needs a draw"),
        ({"candidate": make_outcome("mismatch", message=None)}, "a message is missing"),
        ({"candidate": make_outcome("mismatch", reason="unlucky")}, "a code of reasons.REASONS"),
        ({"candidate": make_outcome("mismatch", reason=None)}, "a code of reasons.REASONS"),
        ({"candidate": make_outcome("mismatch", correct=None)}, "does not go with correct = None"),
        ({"candidate": make_outcome("host_fault", correct=False)}, "does not go with correct = False"),
    ],
)
def test_a_case_that_breaks_a_rule_is_refused(changes, problem):
    record = make_unseen_record(cases=(dataclasses.replace(make_unseen_case(8, "edge"), **changes),))
    assert any(problem in text for text in problems_of(record)), problems_of(record)


def test_a_category_that_is_none_is_not_read():
    raw = json.loads(codec.dumps(make_unseen_record()))
    raw["cases"][0]["category"] = "sideways"
    with pytest.raises(codec.DecodeError, match="category"):
        read_unseen(json.dumps(raw))


def test_the_site_can_read_one_without_torch():
    program = "import sys, evaluator.unseen.record; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
