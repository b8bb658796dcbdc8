"""The judge's own clock, against a device that a thread plays: it watches the page as a GPU does."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from evaluator.backends import Sample
from evaluator.judge.draws import Seed
from evaluator.judge.rejection import Rejection
from evaluator.judge.seal import END, MASK, RELEASE, digest_of, folded, mixed, page_of, seal_of
from evaluator.judge.timing.outside import OutsideTimes, outside_times
from evaluator.judge.timing.remote import Rejected
from evaluator.judge.timing.session import Pair
from evaluator.judge.timing.slabs import Slabs
from evaluator.tasks.spec import TaskSpec
from tests.evaluator.scripted_worker import ScriptedWorker, runner_of

CALL_S = 0.002  # what a call takes on this device; with `enqueue(empty)` none is made
TIMES = SimpleNamespace(baseline_ns=CALL_S * 1e9, candidate_ns=CALL_S * 1e9)


@dataclass
class Device(ScriptedWorker):
    """A worker whose blocks wait for the release; `cheat` changes what it does."""

    cheat: str = ""

    def _enqueue(self, calls: list[list[int]], spare: int, limit_ns: int, empty: bool) -> dict[str, object]:
        self._word(END).value = 0
        self._thread = threading.Thread(target=self._run, args=(len(calls), spare, empty))
        if self.cheat == "waits":
            return {"problem": None, "expired": True}
        self._thread.start()
        return {"problem": None, "expired": False}

    def _settle(self, nonce: int, calls: int) -> dict[str, object]:
        if self.cheat == "waits":
            self._sums = [0] * calls
        else:
            self._thread.join()
        sums = [0] * calls if self.cheat == "other digests" else self._sums
        seal = seal_of((1, 2) if self.cheat == "no seal" else self.key, [nonce, calls, *sums])
        return {"digests": sums, "expired": self.cheat == "waits", "seal": seal}

    def _run(self, calls: int, spare: int, empty: bool) -> None:
        release = self._word(RELEASE)
        while not (token := release.value):
            sleep(0)
        self._kept, self._sums = [], []
        for index in range(calls):
            size = self._inputs[0]["shape"][0]
            salt = 1 + index if self.cheat != "contents of before" else 1
            begin = mixed(token + salt & MASK) % spare
            output = 2 * self._slabs["x"][begin : begin + size] + (self.cheat == "one of ten" and index == 9)
            self._kept.append(output)
            self._sums.append(digest_of([self._kept[-1]], token, index))
            if not empty:
                sleep(CALL_S)
        self._word(END).value = folded(self._sums)
        if self.cheat == "outputs of after":
            self._kept = [output + 1 for output in self._kept]

    def _word(self, offset: int) -> ctypes.c_uint64:
        return ctypes.c_uint64.from_buffer(page_of(self.mailbox), offset)


Taken = Callable[..., OutsideTimes]


@pytest.fixture
def taken(tiny_task: Callable[[str], TaskSpec]) -> Taken:
    """taken(cheat, ...) takes T_out of an honest baseline and a candidate that cheats so."""
    task = tiny_task("triton2triton")

    def take(cheat: str, **options: Any) -> OutsideTimes:
        workers = [Device(task), Device(task, cheat=cheat)]
        runners = [runner_of(worker) for worker in workers]
        pair = Pair(*runners, lambda: Sample(1980, 2619, 50, 400.0, ()))
        slabs = Slabs(task, task.cases[0], Seed(), 0, "cpu")
        for name in ("baseline", "candidate"):
            pair.switch_to(name).arm(slabs)
        return outside_times(pair, slabs, TIMES, doubled, **options)  # type: ignore[arg-type]

    return take


def doubled(_: str, contents: Any, outputs: Any) -> Rejection | None:
    return None if torch.equal(outputs["y"], 2 * contents["x"]) else Rejection("mismatch", "not doubled")


def test_calls_are_timed_without_what_surrounds_them(taken: Taken) -> None:
    times = taken("")
    assert times.lacking is None
    assert times.baseline_ns >= 0.8 * CALL_S * 1e9  # a busy host only makes it longer
    assert times.candidate_ns >= 0.8 * CALL_S * 1e9


@pytest.mark.parametrize("cheat", ["other digests", "no seal", "outputs of after"])
def test_outputs_that_the_end_does_not_commit_to_are_forged(taken: Taken, cheat: str) -> None:
    with pytest.raises(Rejected, match="not requested"):
        taken(cheat)


def test_both_sides_save_the_same_on_both_clocks(taken: Taken) -> None:
    times = taken("")
    assert times.excess_ns == pytest.approx(times.candidate_ns - times.baseline_ns)


def test_outputs_of_contents_that_do_not_follow_from_the_token_are_wrong(taken: Taken) -> None:
    with pytest.raises(Rejected, match="not doubled"):
        taken("contents of before")


def test_every_output_is_judged_of_a_source_that_keeps_state(taken: Taken) -> None:
    with pytest.raises(Rejected, match="not doubled"):
        taken("one of ten", every_output=True)


def test_a_device_that_cannot_be_held_has_no_such_times_and_the_reason_is_told(taken: Taken) -> None:
    assert "waits for the device" in str(taken("waits").lacking)
