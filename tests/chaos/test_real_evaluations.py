"""Workers with the real evaluator are killed while they build and evaluate; their sandboxes die with them."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from time import monotonic
from uuid import uuid4

import pytest

from evaluator.records.record import read_record
from evaluator.state import state_folder
from evaluator.tasks.candidate import Candidate
from runs import archive
from runs.models import Attempt, Host
from tests.chaos.conftest import RecordOutcome
from tests.chaos.places import Place
from tests.chaos.test_chaos import SERVERS, fresh, wait_until
from tests.runs.conftest import Site

pytestmark = pytest.mark.slow
REAL = {"ARENA_EVALUATOR": "runs.worker.device.Device", "ARENA_STATE": str(state_folder()), "ARENA_HEARTBEAT_S": "5"}
DEADLINE_S = 400.0  # two evaluators start and try known kernels: 15 s on two quiet cores
QUIET_S = 0.3  # without a compiler: it evaluates
EXPERT = Path(__file__).parents[2] / "tasks" / "hip2hip" / "arena" / "GELU" / "expert"


@SERVERS
def test_workers_are_killed_while_they_build_and_evaluate(
    place: Place, site: Site, record_outcome: RecordOutcome
) -> None:
    names = [f"real-{uuid4().hex[:8]}" for _ in range(2)]  # a host's lock lies in the state folder, which others share
    Host.objects.update(is_enabled=False)
    Host.objects.bulk_create(Host(name=name, device_class=site.device_class) for name in names)
    begun, attempts = monotonic(), [queue(site, number) for number in (1, 2)]
    for name in names:
        place.start(name, **REAL)
    doomed = [Doomed(attempts[0], is_built=False), Doomed(attempts[1], is_built=True)]
    wait_until(lambda: sum(one.is_killed() for one in doomed) == 2, "the moments", DEADLINE_S)
    wait_until(lambda: not any(is_alive(pid) for one in doomed for pid in one.family), "the end of the sandboxes")
    place.start(names[0], **REAL)
    for attempt in attempts:
        wait_until(lambda attempt=attempt: fresh(attempt).ended_at is not None, "an end", DEADLINE_S)
        ended = fresh(attempt)
        assert (ended.status, ended.fencing_token, ended.requeues) == ("passed", 2, 1)
        assert ended.measurements.count() == len(read_record(archive.get(ended.record_digest)).cases)
    record_outcome("both passed by a third worker, no sandbox outlived its worker", monotonic() - begun)


class Doomed:
    """The worker with an attempt, killed when a compiler starts or ends below it."""

    def __init__(self, attempt: Attempt, *, is_built: bool) -> None:
        self._attempt, self._is_built = attempt, is_built
        self._has_built, self._quiet_since = False, 0.0
        self.family: list[int] = []

    def is_killed(self) -> bool:
        if self.family:
            return True
        holder = fresh(self._attempt).claimed_by
        if holder and self._is_the_moment(pid := int(holder.split()[-1])):
            self.family = [pid, *descendants(pid)]
            os.kill(pid, signal.SIGKILL)
        return bool(self.family)

    def _is_the_moment(self, pid: int) -> bool:
        builds = any("clang" in name_of(one) for one in descendants(pid))
        self._has_built |= builds
        if builds:
            self._quiet_since = monotonic()
        return builds if not self._is_built else self._has_built and monotonic() - self._quiet_since > QUIET_S


def queue(site: Site, repeat: int) -> Attempt:
    """Queue an expert's source that has not been built yet."""
    files = {path.name: path.read_bytes() + f"\n// {uuid4().hex}\n".encode() for path in EXPERT.glob("*.hip")}
    (task,) = site.suite.tasks.all()
    run = site.new_run(repeat=1000 + repeat, written={task.pk: Candidate(files, "rewrite")})
    return Attempt.objects.get(result__run=run)


def descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for one in filter(str.isdigit, os.listdir("/proc")):
        if fields := stat_of(one):
            children.setdefault(int(fields[1]), []).append(int(one))
    found, to_see = list[int](), [pid]
    while to_see:
        below = children.get(to_see.pop(), [])
        found += below
        to_see += below
    return found


def stat_of(pid: int | str) -> list[str]:
    """State, parent and what follows in /proc; nothing of a process that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(errors="replace")
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    fields = stat_of(pid)
    return bool(fields) and fields[0] != "Z"
