"""Baselines beside a task's own: what may be declared, and that they are timed and never decide."""

from __future__ import annotations

import shutil
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from evaluator.backends import Sample
from evaluator.errors import SandboxError, TaskError
from evaluator.gates import baselines as gate
from evaluator.gates import performance
from evaluator.gates.context import CaseState
from evaluator.judge.device_lock import NoDeviceLock
from evaluator.judge.draws import Seed
from evaluator.judge.rejection import Rejection
from evaluator.records.measurements import T_DEV
from evaluator.tasks.baselines import baselines_of
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.reader import load_task, read_task
from evaluator.thresholds import SESSIONS
from evaluator.validate.checks import STATIC_CHECKS
from evaluator.validate.subject import Subject
from tests.conftest import TESTS
from tests.evaluator.scripted_worker import ScriptedWorker


def test_a_task_that_was_frozen_before_has_its_own_outside_of_its_digest():
    task = load_task("triton2triton/arena/softmax")
    found = baselines_of(task)
    assert (task.baselines, list(found)) == (None, ["eager", "compile", "library"])
    assert b"torch.compile(forward" in found["compile"].files["eager.py"]
    assert baselines_of(load_task("triton2triton/arena/fla_l2norm")) == {}


def test_a_task_that_starts_from_pytorch_is_compiled_unless_it_says_otherwise():
    task = load_task("torch2hip/arena/SiLU")
    [(kind, candidate)] = baselines_of(task).items()
    assert (kind, candidate.label) == ("compile", "compile")
    assert candidate.files["module.py"].startswith((task.folder / "module.py").read_bytes())
    assert baselines_of(load_task("torch2triton/kernelbenchx/logspace")) == {}


def test_a_task_may_bring_code_of_its_own(tmp_path):
    target = shutil.copytree(TESTS / "tiny/triton2triton/tests/double", tmp_path / "double")
    config = target / "config.yaml"
    config.write_text(config.read_text() + "  baselines: [library]\n")
    with pytest.raises(TaskError, match=r"baselines\.0: seen 'library'; expected its file baselines/library\.py"):
        read_task(target, "triton2triton/tests/double")
    (target / "baselines").mkdir()
    (target / "baselines" / "library.py").write_text("def forward(x):\n    return x * 2\n")
    task = read_task(target, "triton2triton/tests/double")
    assert list(STATIC_CHECKS["baselines"](Subject(task))) == []
    (target / "baselines" / "library.py").write_text("def forward(x):\n    return x * 3\n")
    assert "library: n=256: y differs" in next(STATIC_CHECKS["baselines"](Subject(task)))


def few(task_id):
    task = load_task(task_id)
    return replace(task, cases=task.cases[:1])


def test_eager_and_library_compute_what_the_reference_does():
    assert list(STATIC_CHECKS["baselines"](Subject(few("triton2triton/arena/fused_add_rms_norm")))) == []


def test_every_mistake_in_the_table_beside_the_suites_is_named(tmp_path, monkeypatch):
    task = load_task("triton2triton/arena/softmax")
    for name in ("torch2hip/arena/A", "triton2triton/arena/B"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "config.yaml").write_text("")
    (tmp_path / "baselines").mkdir()
    table = "torch2hip/arena/A: [eager]\ntriton2triton/arena/B: [compile, library, fast]\nhip2hip/arena/C: [compile]\n"
    (tmp_path / "baselines" / "declared.yaml").write_text(table)
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path))
    with pytest.raises(TaskError) as caught:
        baselines_of(task)
    found = "\n".join(caught.value.problems)
    for expected in (
        "torch2hip/arena/A.0: seen 'eager'; expected another kind: the task's own baseline is eager",
        "triton2triton/arena/B.0: seen 'compile'; expected a module to compile: the kind eager beside it",
        "triton2triton/arena/B.1: seen 'library'; expected its file baselines/library.py",
        "triton2triton/arena/B.2: seen 'fast'; expected one of eager, compile, library, each once",
        "hip2hip/arena/C: seen 'hip2hip/arena/C'; expected the id of a task",
        "hip2hip/arena/C.0: seen 'compile'; expected a module to compile",
    ):
        assert expected in found, found


STEADY = Sample(1980, 2619, 50, 400.0, ())


class PlayedSide:
    """A side with a scripted worker, and its own runner; an error in place of the worker is raised as it starts."""

    device = "cpu"

    def __init__(self, log, kind, worker):
        self.log, self.kind, self.worker, self.side = log, kind, worker, self

    def ready_sandbox(self):
        pass

    def runner(self, **_):
        if isinstance(self.worker, Exception):
            raise self.worker
        self.key, self.task = self.worker.key, self.worker.task
        return self

    def compile(self, case, contents):
        self.log.append(f"{self.kind} compiles {case.id}")

    def give_up_sandbox(self):
        self.log.append(f"{self.kind} closed")

    def close(self, worker):
        self.log.append(f"{self.kind} ends")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close(self.worker)


@pytest.fixture
def timed(tiny_task, monkeypatch):
    """Return timed(kinds, has_clock=…, sessions=…) → (context, state, log) after every kind was timed."""
    task = tiny_task("triton2triton")

    def wrong(context, state, side, contents, outputs):
        return None if torch.equal(outputs["y"], 2 * contents["x"]) else Rejection("mismatch", "not doubled")

    def run(kinds, has_clock=True, sessions=SESSIONS, candidate=b"own"):
        state, log = CaseState(task.cases[0], times=["one"]), []

        def open_side(kind):
            how = kinds[kind]
            return PlayedSide(log, kind, how if isinstance(how, Exception) else ScriptedWorker(task, **how))

        monkeypatch.setattr(gate, "baselines_of", lambda _: {kind: kind for kind in kinds})
        monkeypatch.setattr(performance, "wrong", wrong)
        monkeypatch.setattr(performance, "clock_options", lambda _: {})
        backend = SimpleNamespace(
            has_clock=has_clock, device_class="h100-sxm", torch_device="cpu", sample=lambda: STEADY
        )
        context = SimpleNamespace(
            task=task,
            backend=backend,
            baseline=PlayedSide(log, "own", ScriptedWorker(task)),
            baseline_files=Candidate({"kernel.py": b"own"}, "baseline"),
            candidate_files=Candidate({"kernel.py": candidate}, "candidate"),
            cases={state.case.id: state},
            findings=[],
            seed=Seed(),
            sessions=sessions,
            spending=lambda _: nullcontext(),
            device_lock=NoDeviceLock(),
            contents=lambda case, draw: {},
            give_way=lambda: None,
            quiet=nullcontext,
            settle=lambda: log.append("settled"),
            open_side=open_side,
        )
        gate.time_baselines(context)
        return context, state, log

    return run


def test_each_is_timed_against_the_tasks_own_and_one_that_fails_is_a_finding(timed):
    kinds = {
        "eager": {"dev_ns": lambda _: 40_000.0},
        "compile": {"factor": lambda _: 3.0},
        "library": SandboxError("no such operator here"),
    }
    context, state, log = timed(kinds)
    assert list(state.baselines) == ["eager"]
    eager = state.baselines["eager"]
    assert (eager.clock, eager.time_ms, eager.own_ms) == (T_DEV, 0.04, 0.02)
    assert eager.ratio == pytest.approx(0.5)
    assert [(finding.gate, finding.code, finding.text) for finding in context.findings] == [
        ("performance", "baseline_not_timed", "compile: case n=256, in a timed call, not doubled"),
        ("performance", "baseline_not_timed", "library: no such operator here"),
    ]
    closed = [f"{kind} closed" for kind in kinds]
    assert [line for line in log if line.endswith("closed")] == closed
    assert log[:3] == ["own compiles n=256", "eager compiles n=256", "settled"]
    assert sorted(log[3:5]) == ["eager ends", "own ends"]


def test_none_is_timed_beside_a_candidate_without_a_device_clock_or_in_a_quick_check(timed):
    assert timed({"eager": {}}, candidate=b"another")[2] == []
    assert timed({"eager": {}}, has_clock=False)[2] == []
    assert timed({"eager": {}}, sessions=1)[2] == []
