"""Broken candidates of every kind through the whole pipeline; files of tests/broken begin with the expected status."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.records.reasons import Status
from evaluator.records.record import problems_of
from evaluator.tasks.candidate import Candidate, baseline, read_candidate

BROKEN = Path(__file__).parent.parent / "broken"
SOURCES = sorted([*BROKEN.glob("triton/*.py"), *BROKEN.glob("hip/*.hip")])
CANDIDATES_USERS = range(61184, 65520)
PR_SET_CHILD_SUBREAPER = 36
LEFT_S = 60.0  # what is killed ends at once on a quiet machine
CHEATS = BROKEN.parent / "cheats" / "triton"
CATEGORY = {".py": "triton2triton", ".hip": "hip2hip"}

pytestmark = pytest.mark.slow


def expectation(source: Path) -> tuple[str, str]:
    first = source.read_text(encoding="utf-8").splitlines()[0]
    status, _, code = first.partition("expect: ")[2].partition("/")
    assert status, f"{source} does not say what it must get"
    return status, code


def evaluated(source: Path, tiny_task, evaluator):
    task = tiny_task(CATEGORY[source.suffix])
    return evaluator.evaluate(task, Candidate({task.editable[0]: source.read_bytes()}, source.stem))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.usefixtures("adopts_orphans")
def test_a_broken_candidate_gets_its_status_and_one_sentence(source, tiny_task, native_evaluator):
    status, code = expectation(source)
    record = evaluated(source, tiny_task, native_evaluator)
    assert problems_of(record) == []
    if status == "passed":
        assert (record.status, record.message) == (Status.PASSED, None), record.log
        assert code in [flag.value for flag in record.flags]
    else:
        assert (record.status.value, record.reason) == (status, code), f"{record.message}\n{record.log}"
        assert record.message.endswith(".")
        assert "\n" not in record.message
    assert left_running() == {}


@pytest.mark.usefixtures("adopts_orphans")
def test_processes_left_running_are_reported():
    subprocess.run(["sh", "-c", "sleep 1000 &"], check=True)
    until = time.monotonic() + LEFT_S
    while not (found := orphans()):  # it has still to become what it is
        assert time.monotonic() < until
        time.sleep(0.02)
    [(left, command)] = found.items()
    os.kill(left, signal.SIGKILL)
    os.waitpid(left, 0)
    assert command == "sleep 1000 "
    assert orphans() == {}


@pytest.mark.parametrize("category", ["triton2triton", "hip2hip"])
def test_the_unbroken_twin_passes_every_gate(category, tiny_task, evaluator):
    task = tiny_task(category)
    record = evaluator.evaluate(task, baseline(task))
    assert record.status is Status.PASSED, f"{record.message}\n{record.log}"
    assert [flag.value for flag in record.flags] == ["functional"]
    assert all(case.correct and case.clocks for case in record.cases)
    assert record.isa_checked == dict.fromkeys(("gfx942", "gfx950"), "compiled")
    assert record.isa


def test_cases_before_the_first_wrong_one_are_recorded_as_correct(tiny_task, evaluator):
    record = evaluated(CHEATS / "36_raises_on_the_odd_size.py", tiny_task, evaluator)
    assert [(case.id, case.correct) for case in record.cases] == [("n=256", True), ("n=301", False)]


def test_the_log_has_what_a_candidate_printed(tiny_task, evaluator):
    record = evaluated(CHEATS / "39_prints_pass.py", tiny_task, evaluator)
    assert "All tests passed" in record.log


def extra(folder: Path) -> None:
    (folder / "solver.py").write_text("x = 1\n")


def changed(folder: Path) -> None:
    (folder / "reference.py").write_text("def reference(inputs):\n    return {'y': inputs['x']}\n")


def linked(folder: Path) -> None:
    (folder / "kernel.py").unlink()
    (folder / "kernel.py").symlink_to("/etc/passwd")


def shadowing(folder: Path) -> None:
    (folder / "torch.py").write_text("raise SystemExit\n")


def prebuilt(folder: Path) -> None:
    (folder / "kernel.so").write_bytes(b"\x7fELF")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (extra, "extra_file"),
        (changed, "protected_file"),
        (linked, "not_a_source"),
        (shadowing, "extra_file"),
        (prebuilt, "extra_file"),
    ],
)
def test_files_outside_the_allow_list_are_tampering(change, code, tmp_path, tiny_task, evaluator):
    task = tiny_task("triton2triton")
    (tmp_path / "kernel.py").write_bytes((task.folder / "kernel.py").read_bytes())
    change(tmp_path)
    record = evaluator.evaluate(task, read_candidate(tmp_path, task))
    assert (record.status, record.reason) == (Status.TAMPERED, code)


def test_an_agents_extra_files_can_be_ignored_but_never_a_changed_file(tmp_path, tiny_task):
    task = tiny_task("triton2triton")
    (tmp_path / "kernel.py").write_bytes((task.folder / "kernel.py").read_bytes())
    extra(tmp_path)
    assert read_candidate(tmp_path, task, ignore_extra=True).problems == ()
    changed(tmp_path)
    assert read_candidate(tmp_path, task, ignore_extra=True).problems == (("protected_file", "reference.py"),)


def test_an_empty_folder_is_not_produced(tmp_path, tiny_task, evaluator):
    task = tiny_task("hip2hip")
    record = evaluator.evaluate(task, read_candidate(tmp_path, task))
    assert (record.status, record.reason) == (Status.NOT_PRODUCED, "not_written")


@pytest.fixture
def adopts_orphans() -> Iterator[None]:
    """Adopt processes that a judge in this process leaves behind, instead of the machine's init."""
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    yield
    libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def orphans() -> dict[int, str]:
    """Command lines of a candidate's processes below this one that no zygote stands above: left behind.

    Only those below this one: tests beside this one have candidates, and agents under the same users, of their own.
    """
    parents, zygotes, theirs = dict[int, int](), set[int](), dict[int, str]()
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            command, user = Path(f"/proc/{pid}/cmdline").read_bytes(), os.stat(f"/proc/{pid}").st_uid
            state, parent, *_ = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if state == "Z":  # it runs no more: a busy judge has only not asked yet how it ended
            continue
        parents[pid] = int(parent)
        if b"evaluator.inside.zygote" in command and user not in CANDIDATES_USERS:
            zygotes.add(pid)
        elif user in CANDIDATES_USERS or b"sleep\x001000" in command:
            theirs[pid] = command.replace(b"\0", b" ").decode(errors="replace")
    above = {pid: ancestors(pid, parents) for pid in theirs}
    return {pid: theirs[pid] for pid in theirs if os.getpid() in above[pid] and not above[pid] & zygotes}


def ancestors(pid: int, parents: dict[int, int]) -> set[int]:
    found = set[int]()
    while (pid := parents.get(pid, 0)) and pid not in found:
        found.add(pid)
    return found


def left_running() -> dict[int, str]:
    until = time.monotonic() + LEFT_S
    while (left := orphans()) and time.monotonic() < until:
        time.sleep(0.05)
    return left
