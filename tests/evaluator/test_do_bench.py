"""kbx_do_bench is what the installed Triton's do_bench measures: both on a pretended card with known times."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import triton.testing

from evaluator.backends import Backend, get_backend
from evaluator.errors import BaselineError
from evaluator.inside import loading
from evaluator.inside.harness import Harness
from evaluator.judge.seal import seal_of
from evaluator.judge.timing import clocks
from evaluator.judge.timing.clocks import do_bench_ns
from evaluator.judge.timing.remote import RemoteStopwatch
from evaluator.tasks.spec import TaskSpec
from scripts import do_bench_agreement
from scripts.do_bench_agreement import CaseMedians, OwnProcess, TaskMedians, known, measured, table
from tests.evaluator.scripted_worker import ScriptedWorker, runner_of


class Card:
    """A device whose clock moves by what is done on it: calls take 1, 1.3, 1.6, 1.9 times `call_ms` in turn."""

    def __init__(self, call_ms: float, clear_ms: float) -> None:
        self.call_ms, self.clear_ms = call_ms, clear_ms
        self.now_ms, self.calls, self.clears = 0.0, 0, 0

    def call(self) -> None:
        self.now_ms += self.call_ms * (1 + 0.3 * (self.calls % 4))
        self.calls += 1

    def clear(self, *_: object) -> None:
        self.now_ms += self.clear_ms
        self.clears += 1

    def event(self, enable_timing: bool) -> Any:
        event = SimpleNamespace(at=0.0)
        event.record = lambda: setattr(event, "at", self.now_ms)
        event.elapsed_time = lambda end: end.at - event.at
        return event


class OnCard(ScriptedWorker):
    """Loops as bench.cpp does: neither clearing nor warm-up calls are between the events of a call."""

    card: Card

    def _loop(self, nonce: int, warmups: int, calls: int, pairs: bool, cleared_bytes: int) -> dict[str, object]:
        for _ in range(warmups):
            self.card.call()
        marks = [] if pairs else [self.card.now_ms]
        for _ in range(calls):
            self.card.clear()
            marks += [self.card.now_ms] if pairs else []
            self.card.call()
            marks += [self.card.now_ms] if pairs else []
        marks += [] if pairs else [self.card.now_ms]
        times = [(end - begin) * 1e6 for begin, end in zip(marks[::2], marks[1::2], strict=True)]
        words = [nonce, warmups, calls, int(pairs), cleared_bytes, *times]
        return {"events_ns": times, "seal": seal_of(self.key, words)}


def of_triton(card: Card) -> float:
    """The median by the installed function itself; the emulated GPU of other tests replaces it in its module."""
    spec = importlib.util.spec_from_file_location("triton.testing_as_installed", triton.testing.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    interface = SimpleNamespace(Event=card.event, synchronize=lambda: None)
    module.runtime = SimpleNamespace(  # type: ignore[attr-defined]
        driver=SimpleNamespace(
            active=SimpleNamespace(
                get_device_interface=lambda: interface,
                get_empty_cache_for_benchmark=lambda: None,
                clear_cache=card.clear,
            )
        )
    )
    found: float = module.do_bench(card.call, quantiles=[0.5])
    return found


@pytest.mark.parametrize("clear_ms", [0.07, 0.21])
@pytest.mark.parametrize("call_ms", [0.0021, 0.033, 0.71, 9.3, 61.0, 170.0])
def test_our_clock_makes_triton_s_calls_and_has_its_median(
    tiny_task: Callable[[str], TaskSpec], call_ms: float, clear_ms: float
) -> None:
    theirs, ours = Card(call_ms, clear_ms), Card(call_ms, clear_ms)
    worker = OnCard(tiny_task("triton2triton"))
    worker.card = ours
    wanted_ms = of_triton(theirs)
    assert do_bench_ns(RemoteStopwatch(runner_of(worker), trusted=False)) == pytest.approx(wanted_ms * 1e6)
    assert (ours.calls, ours.clears) == (theirs.calls, theirs.clears)


def test_the_buffer_is_as_large_as_triton_s() -> None:
    """Both of its drivers make one of int32, and say how many bytes it has."""
    folder = Path(triton.testing.__file__).parent / "backends"
    for name in ("nvidia", "amd"):
        assert "cache_size = 256 * 1024 * 1024" in (folder / name / "driver.py").read_text()
    assert clocks.KBX_CLEARED_BYTES == 256 * 1024 * 1024


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Backend:
    """A processor in the card's place; the emulated GPU would change this process."""
    device = SimpleNamespace(load=loading.load_python)
    monkeypatch.setattr(clocks, "KBX_CLEARED_BYTES", 1 << 20)
    monkeypatch.setattr(Harness, "attach", lambda harness, *_, **__: setattr(harness, "device", device))
    facts = {"torch_device": "cpu", "cache_bytes": 1 << 20, "bench": get_backend("cpu").bench, "has_clock": True}
    cases = {"cases": lambda task: tuple(replace(case, profile="full") for case in task.cases)}
    return SimpleNamespace(**facts, **cases, name="cuda", facts=lambda: {"card_uuid": "GPU-1"})  # type: ignore[return-value]


@pytest.fixture
def worker(tiny_task: Callable[[str], TaskSpec], tmp_path: Path, card: Backend) -> OwnProcess:
    """The script's process, with the tiny task's PyTorch module."""
    made = OwnProcess(tiny_task("torch2triton"), card, tmp_path)
    made.load(made.built())
    return made


def test_the_script_times_one_call_on_both_clocks_twice(worker: OwnProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = []
    monkeypatch.setattr(do_bench_agreement, "triton_ns", lambda call: outputs.append(call()) or 5e3)
    case = worker.task.cases[0]
    found = worker.compared(case)
    assert found.case == case.id
    assert found.triton_us == (5.0, 5.0)
    assert len(found.ours_us) == 2
    assert min(found.ours_us) > 0
    assert len(outputs) == 2
    assert outputs[0].abs().sum() > 0, "the contents of a call that was made, and not an empty buffer"


def test_the_script_refuses_a_time_that_is_not_positive(worker: OwnProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(do_bench_agreement, "triton_ns", lambda call: 0.0)
    with pytest.raises(BaselineError, match="triton read a time that is not positive"):
        worker.compared(worker.task.cases[0])


def test_the_command_measures_what_its_file_lacks_and_prints_all(
    tiny_task: Callable[[str], TaskSpec],
    tmp_path: Path,
    card: Backend,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tasks = {task.id: task for task in map(tiny_task, ("torch2triton", "triton2triton"))}
    asked, path = list[str](), tmp_path / "found.jsonl"

    def in_a_process(options: Any, task: TaskSpec) -> tuple[str, str]:
        asked.append(task.id)
        if task.category == "triton2triton":
            return "", "exit code 1: it does not build"
        return json.dumps(asdict(measured(task, card, options.out))) + "\n", ""

    monkeypatch.setattr(do_bench_agreement, "triton_ns", lambda call: 5e3)
    monkeypatch.setattr(do_bench_agreement, "get_backend", lambda _: card)
    monkeypatch.setattr(do_bench_agreement, "read_manifest", lambda _: (1, dict.fromkeys(tasks), ""))
    monkeypatch.setattr(do_bench_agreement, "load_task", tasks.get)
    monkeypatch.setattr(do_bench_agreement, "_in_a_process", in_a_process)
    for again in (False, True):
        assert do_bench_agreement.main(["--out", str(path)]) == 1
        told = capsys.readouterr()
        assert "triton2triton/tests/double: exit code 1: it does not build" in told.err
        assert told.out.splitlines()[1].startswith("torch2triton/tests/double ")
        assert sorted(asked) == (["triton2triton/tests/double"] if again else sorted(tasks))
        asked.clear()


def line(spec: TaskSpec, **changes: Any) -> str:
    case = {"case": "n=1", "ours_us": [10.1, 10.3], "triton_us": [10.0, 10.0]}
    return json.dumps({"task": spec.id, "digest": spec.digest, "card": "GPU-1", "cases": [case], **changes}) + "\n"


def test_what_was_measured_of_a_task_as_it_is_on_this_card_is_not_measured_again(
    tiny_task: Callable[[str], TaskSpec], tmp_path: Path
) -> None:
    path, task = tmp_path / "found.jsonl", tiny_task("triton2triton")
    assert known(path, [task], "GPU-1") == {}
    path.write_text(line(task, digest="0" * 64) + line(task, card="GPU-2") + line(task, task="another"))
    assert known(path, [task], "GPU-1") == {}
    with path.open("a") as file:
        file.write(line(task))
    assert known(path, [task], "GPU-1")[task.id].cases == (CaseMedians("n=1", (10.1, 10.3), (10.0, 10.0)),)


def test_the_table_has_the_ratio_of_means_and_what_is_furthest_from_one() -> None:
    """10.3 / 10 = 1.03; 9.94 / 10 = 0.994; 20 / 20 = 1, the middle one; repeats 10.4 / 10.2 = 1.96 %, 0, 0."""
    cases = (
        CaseMedians("a", (10.2, 10.4), (10.0, 10.0)),
        CaseMedians("b", (9.94, 9.94), (10.0, 10.0)),
        CaseMedians("c", (20.0, 20.0), (20.0, 20.0)),
    )
    _, row, summary = table([TaskMedians("some/task", "", "", cases)])
    assert row.split() == ["some/task", "3", "1.0000", "1.0300", "10.0", "us", "0.00%"]
    assert summary == (
        "1 task, 3 cases: median ratio 1.0000, furthest from 1 3.00% away; "
        "of the cases 2 within 1%, 2 within 2%, 3 within 5%"
    )
