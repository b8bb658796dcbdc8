"""A quick check says it is one, leaves out what it may, and nothing that publishes takes its record."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from evaluator import codec, workbench
from evaluator.__main__ import main
from evaluator.backends import get_backend
from evaluator.bundles.archives.packing import slug
from evaluator.bundles.checking import check_files
from evaluator.cli.runfolder import run_suite
from evaluator.gates.context import Context
from evaluator.judge.device_lock import NoDeviceLock
from evaluator.judge.draws import draws_of
from evaluator.pipeline import Evaluator, Fault
from evaluator.records.reasons import Flag, Status
from evaluator.records.record import Record, problems_of, read_record, write_record
from evaluator.tasks.candidate import baseline
from evaluator.tasks.reader import load_task
from evaluator.tasks.suites import load_suite
from evaluator.thresholds import SESSIONS
from runs import verdicts
from tests.bundles.test_native import files
from tests.evaluator.test_records import passed
from tests.evaluator.test_runfolder import CountingEvaluator
from tests.records import make_gpu_record

REFUSED = "a quick check, with fewer draws, sessions and clocks, is never published; evaluate without --quick"
GELU = "hip2hip/arena/GELU"


def quick(record: Record) -> Record:
    return dataclasses.replace(record, flags=(*record.flags, Flag.QUICK))


class Told(Evaluator):
    """Gives what a test says instead of an attempt, and notes what was asked for."""

    def __init__(self, *given: Record | Fault) -> None:
        self.backend, self._device_lock, self.given, self.asked = get_backend("cpu"), NoDeviceLock(), [*given], []

    def _tried(self, task, candidate, *how):
        self.asked.append(how)
        return self.given.pop(0)

    def _is_healthy(self) -> bool:
        return True


FAULT = Fault("gone", "", of_sandbox=True)


@pytest.mark.parametrize(
    ("given", "status"),
    [([passed()], Status.PASSED), ([FAULT, passed()], Status.PASSED), ([FAULT, FAULT], Status.CRASHED)],
)
def test_however_a_quick_check_ends_its_record_says_what_it_is(given: list, status: Status, tiny_task) -> None:
    task = tiny_task("triton2triton")
    evaluator = Told(*given)
    record = evaluator.evaluate(task, baseline(task), quick=True)
    assert record.status is status
    assert Flag.QUICK in record.flags
    assert problems_of(record) == []
    assert set(evaluator.asked) == {(1, True)}, "one session"


def test_an_evaluation_is_no_quick_check(tiny_task) -> None:
    task = tiny_task("triton2triton")
    evaluator = Told(passed())
    assert Flag.QUICK not in evaluator.evaluate(task, baseline(task)).flags
    assert evaluator.asked == [(SESSIONS, False)]


def test_a_quick_check_draws_each_name_once() -> None:
    task = load_task("triton2triton/arena/softmax")
    context = Context(task, baseline(task), baseline(task), get_backend("cpu"), lambda _: None)  # type: ignore[arg-type, return-value]
    assert context.draws == draws_of(task)
    context.is_quick = True
    names = [draw.name for draw in context.draws]
    assert names == list(dict.fromkeys(draw.name for draw in draws_of(task)))
    assert context.draws[0] == draws_of(task)[0]
    assert len(names) < len(draws_of(task))


def test_its_record_can_be_written_and_not_read_again(tmp_path: Path) -> None:
    write_record(quick(passed()), tmp_path / "record.json")
    with pytest.raises(codec.DecodeError, match=REFUSED):
        read_record((tmp_path / "record.json").read_bytes())


def test_no_bundle_may_hold_its_record() -> None:
    found = files()
    name = f"records/{slug(GELU)}.json"
    assert not check_files(found).problems
    found[name] = codec.dumps(quick(read_record(found[name]))).encode()
    assert any(REFUSED in str(problem) for problem in check_files(found).problems)


def test_a_run_evaluates_a_task_again_of_which_it_finds_a_quick_check(tmp_path: Path) -> None:
    suite = load_suite("smoke")
    run_suite(suite, "expert", CountingEvaluator(), tmp_path / "run")
    path = tmp_path / "run" / "records" / f"{slug(suite.tasks[2].id)}.json"
    write_record(quick(read_record(path.read_bytes())), path)
    second = CountingEvaluator()
    run_suite(suite, "expert", second, tmp_path / "run")
    assert second.calls == [suite.tasks[2].id]
    assert Flag.QUICK not in read_record(path.read_bytes()).flags


def test_no_row_is_made_of_its_record() -> None:
    assert verdicts.attempt_columns(make_gpu_record())
    with pytest.raises(ValueError, match=REFUSED):
        verdicts.attempt_columns(quick(make_gpu_record()))


@pytest.mark.parametrize("has_clock", [True, False])
def test_an_agents_own_checks_are_quick_where_there_is_a_clock(has_clock: bool, monkeypatch) -> None:
    class Checked(CountingEvaluator):
        def evaluate(self, task, candidate, *, quick):
            self.calls.append(quick)
            return passed()

    evaluator, task = Checked(), load_task("triton2triton/arena/softmax")
    monkeypatch.setattr(type(evaluator.backend), "has_clock", has_clock)
    workbench.Workbench(task, evaluator).check(baseline(task))  # type: ignore[arg-type]
    assert evaluator.calls == [has_clock]


@pytest.mark.parametrize("option", ["round", "tasks"])
def test_unseen_cases_and_the_scripts_of_others_know_no_quick_check(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["evaluate", GELU, "--baseline", "--out", str(tmp_path / "record.json"), "--quick", f"--{option}", "demo"]
    assert main(words) == 2
    assert f"--quick cannot be used with --{option}" in capsys.readouterr().err


def test_the_command_asks_for_a_quick_check_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[dict] = []

    def evaluate(self: Evaluator, task: object, candidate: object, **options: object) -> Record:
        asked.append(options)
        return quick(passed()) if options["quick"] else passed()

    monkeypatch.setattr(Evaluator, "__init__", lambda *_, **__: None)
    monkeypatch.setattr(Evaluator, "__exit__", lambda *_: None)
    monkeypatch.setattr(Evaluator, "evaluate", evaluate)
    words = ["evaluate", GELU, "--baseline", "--out", str(tmp_path / "record.json")]
    assert (main(words), "never published" in capsys.readouterr().out) == (0, False)
    assert (main([*words, "--quick"]), "never published" in capsys.readouterr().out) == (0, True)
    assert asked == [{"uploaded": False, "quick": False}, {"uploaded": False, "quick": True}]
