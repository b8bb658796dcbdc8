"""Control groups: what a judge's own group of version 2 becomes, what is read, what is killed, what is left."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
from pathlib import Path

import pytest

from evaluator.inside.limits import Limits
from evaluator.sandbox import cgroup
from evaluator.sandbox.cgroup import ControlGroup


def group_of_version_2(folder: Path, *, divides: str, processes: str) -> Path:
    folder.mkdir()
    (folder / "cgroup.subtree_control").write_text(divides)
    (folder / "cgroup.procs").write_text(processes)
    return folder


def test_a_group_that_divides_its_resources_is_taken_as_it_is(tmp_path: Path) -> None:
    own = group_of_version_2(tmp_path / "service", divides="cpu io memory pids\n", processes="1\n2\n")
    assert cgroup._divided(own) == own
    assert sorted(path.name for path in own.iterdir()) == ["cgroup.procs", "cgroup.subtree_control"]


def test_a_judge_alone_in_its_group_moves_below_it(tmp_path: Path) -> None:
    own = group_of_version_2(tmp_path / "service", divides="\n", processes=f"{os.getpid()}\n")
    assert cgroup._divided(own) == own
    atexit.unregister(cgroup._undivide)
    assert (own / "judge" / "cgroup.procs").read_text() == str(os.getpid())
    assert (own / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"


def test_a_judge_that_ends_leaves_its_group_so_that_the_next_process_can_enter(tmp_path: Path) -> None:
    own = group_of_version_2(tmp_path / "service", divides="cpu memory pids\n", processes="\n")
    (own / "judge").mkdir()
    cgroup._undivide(own)
    assert (own / "cgroup.subtree_control").read_text() == "-cpu -memory -pids"
    assert (own / "cgroup.procs").read_text() == str(os.getpid())
    assert not (own / "judge").exists()


def test_a_judge_that_has_moved_uses_the_group_above(tmp_path: Path) -> None:
    own = group_of_version_2(tmp_path / "service", divides="cpu memory pids\n", processes="\n")
    assert cgroup._divided(own / "judge") == own


def test_processor_time_and_the_kernels_verdict_on_memory_are_read(tmp_path: Path) -> None:
    (tmp_path / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n")
    (tmp_path / "memory.events").write_text("low 0\nhigh 0\nmax 7\noom 1\noom_kill 0\noom_group_kill 0\n")
    group = ControlGroup("v2", (tmp_path,))
    assert (group.cpu_s, group.is_out_of_memory) == (2.5, False)
    (tmp_path / "memory.events").write_text("low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\noom_group_kill 0\n")
    assert group.is_out_of_memory


def test_version_2_kills_all_of_a_group() -> None:
    """Tried in the kernel's own tree, with or without controllers."""
    root = next((path for path in (cgroup.ROOT, cgroup.ROOT / "unified") if (path / "cgroup.procs").exists()), None)
    folder = Path(root or "/nowhere") / f"arena-{os.getpid()}-0"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group of version 2 can be made here: {error}")
    group = ControlGroup("v2", (folder,))
    try:
        sleepers = [subprocess.Popen(group.entering(["sleep", "60"])) for _ in range(3)]
        while len((folder / "cgroup.procs").read_text().split()) < 3:
            assert all(sleeper.poll() is None for sleeper in sleepers)
        assert group.cpu_s >= 0
        group.kill()
        assert [sleeper.wait(30) for sleeper in sleepers] == [-signal.SIGKILL] * 3
    finally:
        group.remove()
    assert not folder.exists()


def test_groups_of_judges_that_were_killed_are_removed() -> None:
    group = cgroup.make(Limits())
    if group is None:
        pytest.skip("this host lets the judge make no control group")
    ended = subprocess.Popen(["true"])
    ended.wait()
    orphans = [folder.with_name(f"arena-{ended.pid}-0") for folder in group.folders]
    for orphan in orphans:
        orphan.mkdir()
    following = cgroup.make(Limits())
    assert following is not None
    assert all(folder.exists() for folder in (*group.folders, *following.folders))
    assert not any(orphan.exists() for orphan in orphans)
    group.remove()
    following.remove()
    assert not any(folder.exists() for folder in (*group.folders, *following.folders))
