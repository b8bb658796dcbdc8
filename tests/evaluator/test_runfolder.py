"""A run folder: continued after an interruption, never mixed with another run, zipped the same every time."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import zipfile

import pytest

from evaluator import codec
from evaluator.backends.cpu import CpuBackend
from evaluator.cli.runfolder import run_suite
from evaluator.errors import UsageError
from evaluator.records.calibration import DeviceCalibration
from evaluator.records.reasons import Status
from evaluator.records.record import read_record
from evaluator.tasks.suites import load_suite
from tests.evaluator.test_records import passed, wrong
from tests.records import CALIBRATION


class CountingEvaluator:
    """Stands for the evaluator: gives every candidate a pass, or an error of ours, and counts."""

    def __init__(self, fail_after: int = 1000) -> None:
        self.backend, self.calls, self.fail_after, self.status = CpuBackend(), [], fail_after, Status.PASSED

    def evaluate(self, task, candidate, *, sessions):
        if len(self.calls) == self.fail_after:
            raise KeyboardInterrupt
        self.calls.append(task.id)
        made = passed() if self.status is Status.PASSED else errored()
        reference = dataclasses.replace(made.task, id=task.id, digest=task.digest, category=task.category)
        return dataclasses.replace(made, task=reference, candidate=candidate.ref())


def errored():
    gates = tuple(dataclasses.replace(gate, outcome="not_reached") for gate in passed().gates)
    return wrong(status=Status.ERRORED, gate=None, reason="host_fault", message="Ours.", gates=gates)


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    suite, folder = load_suite("smoke"), tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        run_suite(suite, "expert", CountingEvaluator(fail_after=2), folder)
    second = CountingEvaluator()
    outcomes = run_suite(suite, "expert", second, folder)
    assert second.calls == [task.id for task in suite.tasks[2:]]
    assert [outcome.record.task.id for outcome in outcomes] == [task.id for task in suite.tasks]


def test_our_own_faults_are_tried_again_when_the_run_goes_on(tmp_path):
    suite, first = load_suite("smoke"), CountingEvaluator()
    first.status = Status.ERRORED
    run_suite(suite, "expert", first, tmp_path / "run")
    second = CountingEvaluator()
    run_suite(suite, "expert", second, tmp_path / "run")
    assert len(second.calls) == len(suite.tasks)


def test_the_calibration_of_its_device_comes_with_a_timed_run(tmp_path, monkeypatch):
    evaluator, kept = CountingEvaluator(), [CALIBRATION]
    monkeypatch.setattr("evaluator.cli.runfolder.read_calibration", lambda host: kept[-1])
    run_suite(load_suite("smoke"), "expert", evaluator, tmp_path / "cpu")
    monkeypatch.setattr(CpuBackend, "has_clock", True)
    run_suite(load_suite("smoke"), "expert", evaluator, tmp_path / "gpu")
    kept.append(None)
    run_suite(load_suite("smoke"), "expert", evaluator, tmp_path / "uncalibrated")
    found = {path.relative_to(tmp_path): path for path in tmp_path.glob("*/calibrations/*")}
    assert [str(path) for path in found] == ["gpu/calibrations/GPU-1.json"]
    assert codec.loads(DeviceCalibration, next(iter(found.values())).read_bytes()) == CALIBRATION


def test_a_damaged_record_is_made_again(tmp_path):
    suite = load_suite("smoke")
    run_suite(suite, "expert", CountingEvaluator(), tmp_path / "run")
    victim = sorted((tmp_path / "run" / "records").iterdir())[0]
    victim.write_text(victim.read_text()[:-40])
    second = CountingEvaluator()
    run_suite(suite, "expert", second, tmp_path / "run")
    assert len(second.calls) == 1
    assert read_record(victim.read_bytes()).status is Status.PASSED


def test_another_run_is_never_written_into_the_same_folder(tmp_path):
    suite = load_suite("smoke")
    run_suite(suite, "expert", CountingEvaluator(), tmp_path / "run")
    with pytest.raises(UsageError, match="differs in agent"):
        run_suite(suite, "baseline", CountingEvaluator(), tmp_path / "run")


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        run_suite(load_suite("smoke"), "expert", CountingEvaluator(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_the_zip_holds_manifest_candidates_and_records_and_is_the_same_twice(tmp_path):
    suite = load_suite("smoke")
    run_suite(suite, "expert", CountingEvaluator(), tmp_path / "run")
    first = (tmp_path / "run.zip").read_bytes()
    run_suite(suite, "expert", CountingEvaluator(), tmp_path / "run")
    assert hashlib.sha256((tmp_path / "run.zip").read_bytes()).digest() == hashlib.sha256(first).digest()
    with zipfile.ZipFile(tmp_path / "run.zip") as archive:
        names = archive.namelist()
        assert json.loads(archive.read("run.json"))["suite"] == suite.label
    assert sum(name.startswith("records/") for name in names) == len(suite.tasks)
    assert sum(name.startswith("candidates/") for name in names) == len(suite.tasks)
