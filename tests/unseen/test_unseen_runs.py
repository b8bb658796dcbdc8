"""A run with a revealed round: unseen records are stored beside the seen ones, and reused like them."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace

import pytest

from evaluator.cli.board import unseen_cases_text, unseen_text
from evaluator.cli.runfolder import run_suite
from evaluator.errors import UsageError
from evaluator.records.record import TaskRef
from evaluator.tasks.suites import load_suite
from evaluator.unseen.record import read_unseen
from evaluator.unseen.rounds import read_round
from tests.evaluator.test_runfolder import CountingEvaluator
from tests.records import make_unseen_case, make_unseen_record


class CountingBoth(CountingEvaluator):
    """Counts unseen evaluations apart; `judged`: is no case left to a fault of ours?"""

    def __init__(self, *, judged: bool = True) -> None:
        super().__init__()
        self.unseen, self.judged = [], judged

    def evaluate_unseen(self, task, candidate, cases, *, round_digest, generator, uploaded=False):
        self.unseen.append(task.id)
        made = make_unseen_record(
            task=TaskRef(task.id, task.digest, task.category),
            candidate=candidate.ref(),
            round=round_digest,
            generator=generator,
        )
        kept = [replace(case, category=one.category) for case, one in zip(made.cases, cases, strict=False)]
        judged = [case for case in kept if case.quadrant != "evaluation_error"]
        return replace(made, cases=tuple(judged if self.judged else kept))


@pytest.fixture
def demo():
    return read_round("demo")


def test_a_run_with_a_round_writes_its_unseen_records_beside_the_others(tmp_path, demo):
    suite, folder = load_suite("smoke"), tmp_path / "run"
    outcomes = run_suite(suite, "expert", CountingBoth(), folder, revealed=demo)
    files = sorted(folder.joinpath("unseen").iterdir())
    assert [read_unseen(file.read_bytes()) for file in files] == sorted(
        [outcome.unseen for outcome in outcomes], key=lambda record: record.task.id
    )
    assert json.loads((folder / "run.json").read_text())["round"] == demo.digest
    names = zipfile.ZipFile(folder.with_name("run.zip")).namelist()
    assert len([name for name in names if name.startswith("unseen/")]) == len(suite.tasks)


def test_a_run_without_a_round_holds_seen_cases_only_and_says_so(tmp_path):
    outcomes = run_suite(load_suite("smoke"), "expert", CountingEvaluator(), tmp_path / "run")
    assert not (tmp_path / "run" / "unseen").exists()
    assert json.loads((tmp_path / "run" / "run.json").read_text())["round"] is None
    assert {outcome.unseen for outcome in outcomes} == {None}


def test_it_goes_on_where_it_stopped(tmp_path, demo):
    suite, folder = load_suite("smoke"), tmp_path / "run"
    run_suite(suite, "expert", CountingBoth(), folder, revealed=demo)
    sorted(folder.joinpath("unseen").iterdir())[0].unlink()
    second = CountingBoth()
    run_suite(suite, "expert", second, folder, revealed=demo)
    assert (len(second.calls), len(second.unseen)) == (0, 1)


def test_a_case_with_a_fault_of_ours_is_tried_again_when_the_run_goes_on(tmp_path, demo):
    suite = load_suite("smoke")
    run_suite(suite, "expert", CountingBoth(judged=False), tmp_path / "run", revealed=demo)
    second = CountingBoth()
    run_suite(suite, "expert", second, tmp_path / "run", revealed=demo)
    assert (len(second.calls), len(second.unseen)) == (0, len(suite.tasks))


def test_a_run_of_seen_cases_is_not_continued_with_a_round(tmp_path, demo):
    run_suite(load_suite("smoke"), "expert", CountingBoth(), tmp_path / "run")
    with pytest.raises(UsageError, match="differs in generator, round"):
        run_suite(load_suite("smoke"), "expert", CountingBoth(), tmp_path / "run", revealed=demo)


def test_the_table_counts_quadrants_by_config_category():
    text = unseen_text([make_unseen_record()])
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line}
    assert rows["scale_up"][1:6] == ["1", "0", "0", "0", "0"]
    assert rows["alignment"][6:] == ["0", "of", "1", "(0", "%)"]
    assert rows["all"][1:] == ["1", "1", "1", "1", "1", "1", "of", "2", "(50", "%)"]


def test_the_list_of_cases_says_what_either_side_did_wrong():
    text = unseen_cases_text(make_unseen_record(cases=(make_unseen_case(1, "edge", baseline="raised"),), flags=()))
    assert "opt_improvement" in text
    assert "baseline: It was wrong." in text
