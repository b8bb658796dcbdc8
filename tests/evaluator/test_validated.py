"""tasks/validated.json holds what passed the checks, and the tests validate what it cannot speak for."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluator import backends, pipeline
from evaluator.__main__ import main
from evaluator.errors import TaskError, UsageError
from evaluator.state import REPOSITORY
from evaluator.tasks.reader import load_task, task_ids
from evaluator.tasks.spec import tasks_folder
from evaluator.validate import checks, version
from evaluator.validate.checks import CheckResult, Validation, validate_all
from evaluator.validate.choice import chosen_ids
from evaluator.validate.validated import FILE, Validated, key_of, read_validated, without_line, write_line
from evaluator.validate.version import DIGEST, VERSION, checks_digest, meaning
from tests.covered import DECIDING, Change, anchors, change_of, chosen, covered, kind_of, one_a_kind, tenth

ID = "triton2triton/arena/softmax"
PASSED = Validated("0" * 64, 20, "2026-11-30")
CPU: Any = SimpleNamespace(backend=SimpleNamespace(name="cpu"))
VALID, INVALID = (Validation(ID, "", (CheckResult("nulls", outcome),)) for outcome in ("ok", "failed"))


def test_every_task_has_passed_the_checks_as_it_is() -> None:
    ids = task_ids()
    assert without_line(ids, tasks_folder()) == [], "`make validate` validates these and writes tasks/validated.json"
    assert read_validated(tasks_folder()).keys() <= {*ids}, "`make validate` drops what is gone"


def test_the_checks_are_those_of_their_version() -> None:
    found = checks_digest()
    assert found == DIGEST, (
        f"the checks changed: write VERSION = {VERSION + 1} and DIGEST = {found!r} into evaluator/validate/version.py, "
        "then `make validate`, which checks every task again; the DIGEST alone if what passed cannot fail now"
    )


@pytest.mark.parametrize("name", ["validate/runs.py", "judge/nulls.py", "judge/relation_nulls.py"])
def test_another_check_or_null_candidate_has_another_digest(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("validate", "judge"):
        shutil.copytree(REPOSITORY / "evaluator" / folder, tmp_path / "evaluator" / folder)
    monkeypatch.setattr(version, "REPOSITORY", tmp_path)
    assert checks_digest() == DIGEST
    with (tmp_path / "evaluator" / name).open("a") as file:
        file.write("\nANOTHER = 1\n")
    assert checks_digest() != DIGEST


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ('"""Another docstring."""\n\n\ndef f(x):\n    # a reason\n    return (x +\n            1)\n', True),
        ('"""Says."""\ndef f(x):\n    """Adds."""\n    return x + 1\n', True),
        ('"""Says."""\ndef f(x):\n    return x + 2\n', False),
        ('"""Says."""\ndef f(x):\n    return None\n', False),
        ('"""Says."""\ndef f(x, y=None):\n    return x + 1\n', False),
    ],
)
def test_only_what_a_check_does_counts(text: str, is_same: bool) -> None:
    assert (meaning(text) == meaning('"""Says."""\ndef f(x):\n    return x + 1\n')) is is_same


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one task."""
    shutil.copytree(load_task(ID).folder, tmp_path / ID, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", ["config.yaml", "description.md", "variants/wrong/softmax.py", "expert/softmax.py"])
def test_a_line_speaks_for_every_file(name: str, root: Path) -> None:
    write_line(ID, replace(PASSED, key=key_of(root / ID)), root)
    assert without_line([ID, "a/b/new"], root) == ["a/b/new"]
    (root / ID / name).write_text((root / ID / name).read_text() + "\n")
    assert without_line([ID], root) == [ID]


def test_a_line_speaks_for_one_version_of_the_checks(root: Path) -> None:
    assert key_of(root / ID, VERSION) == key_of(root / ID) != key_of(root / ID, VERSION + 1)


def test_the_file_has_one_sorted_line_a_task_and_none_of_tasks_that_are_gone(root: Path) -> None:
    for task_id in ("b/b/b", "a/a/a", "c/c/c"):
        (root / task_id).mkdir(parents=True)
        write_line(task_id, PASSED, root)
    shutil.rmtree(root / "b")
    write_line("c/c/c", None, root)
    write_line(ID, replace(PASSED, seconds=7), root)
    first, *lines, last = (root / FILE).read_text().splitlines()
    assert [first, *(line[:7] for line in lines), last] == ["{", '"a/a/a"', '"triton', "}"]
    assert read_validated(root) == {"a/a/a": PASSED, ID: replace(PASSED, seconds=7)}


@pytest.mark.parametrize("text", ["{", "[]", '{"a/a/a": {"key": "0"}}', '{"a/a/a": 1}', "{}\n"])
def test_a_file_that_the_validator_did_not_write_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(TaskError, match=r"validated.json: .*`make validate`"):
        read_validated(tmp_path)


def test_a_line_is_written_after_each_task_and_lost_by_one_that_fails(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = iter([VALID, INVALID])
    monkeypatch.setattr(checks, "validate", lambda *_: next(found))
    validations = validate_all([ID, ID], CPU)
    assert (next(validations), read_validated(root)[ID].key) == (VALID, key_of(root / ID))
    assert (next(validations), read_validated(root)) == (INVALID, {})


def test_a_malformed_file_is_found_before_the_first_check(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "validate", lambda *_: pytest.fail("it was checked"))
    (root / FILE).write_text("{<<<<<<< HEAD\n")
    with pytest.raises(TaskError, match=r"validated.json: .*`git checkout tasks/validated.json`"):
        next(validate_all([ID], CPU))


def changes_a_file(_: str, root: Path, *__: object) -> Validation:
    (root / ID / "description.md").write_text("Another one.\n")
    return VALID


@pytest.mark.parametrize(
    ("evaluator", "validate"),
    [
        (None, lambda *_: VALID),  # --without-runs
        (SimpleNamespace(backend=SimpleNamespace(name="cuda")), lambda *_: VALID),
        (CPU, changes_a_file),
    ],
)
def test_what_did_not_pass_every_check_of_a_cpu_as_it_is_gets_no_line(
    evaluator: Any, validate: Callable[..., Validation], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "validate", validate)
    assert list(validate_all([ID], evaluator)) == [VALID]
    assert read_validated(root) == {}


def test_all_leaves_out_what_has_a_line_unless_it_is_asked_again(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = list[str]()
    monkeypatch.setattr(pipeline, "Evaluator", lambda *_: nullcontext(CPU))
    monkeypatch.setattr(checks, "validate", lambda task_id, *_: asked.append(task_id) or VALID)
    assert main(["validate", "all"]) == 0
    assert main(["validate", "all"]) == 0
    assert (asked, capsys.readouterr().err.count("1 of 1 task passed as they are")) == ([ID], 1)
    assert main(["validate", "all", "--again", "--part", "2/2"]) == 0, "whose part is empty"
    assert main(["validate", "all", "--again"]) == 0
    assert main(["validate", ID]) == 0
    assert main(["validate", "all", "--again", "--only", "triton2triton"]) == 0
    assert main(["validate", "all", "--again", "--only", "hip2hip"]) == 2
    assert asked == [ID] * 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([ID, "--part", "2/2"], "--part does nothing without `all`"),
        ([ID, "--only", "native-24"], "--only does nothing without `all`"),
        ([ID, "--again"], "--again does nothing without `all`"),
        (["all", "--without-runs", "--backend", "cuda"], "--backend does nothing with --without-runs"),
        (["all", "--skip-measured"], "--skip-measured does nothing on a CPU"),
        (["all", "--sessions", "2"], "--sessions does nothing on a CPU"),
        (["all", "--out", "G"], "--out does nothing on a CPU"),
        (["nonsense", "--merge", "F", "--out", "G"], "seen 'nonsense'; expected `all`"),
        (["all", "--merge", "F", "--json", "G"], "--json does nothing with --merge"),
        (["nonsense"], "no task is named 'nonsense'"),
    ],
)
def test_what_would_do_nothing_is_refused(
    arguments: list[str], message: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_what_holds_on_a_cpu_alone_is_refused_on_a_gpu(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(backends, "get_backend", lambda _: SimpleNamespace(name="cuda", has_clock=True))
    for option in (["--json", "F"], ["--again"]):
        assert main(["validate", "all", "--backend", "cuda", *option]) == 2
        assert f"{option[0]} does nothing on a GPU" in capsys.readouterr().err


def test_no_task_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path))
    with pytest.raises(UsageError, match="all: no such task in"):
        chosen_ids("all")


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    command = ["git", "-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=check).stdout


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with three tasks on main and a branch beside it, with one commit of its own."""
    for name in ("one", "two", "three"):
        (folder := tmp_path / "tasks" / "c" / "s" / name).mkdir(parents=True)
        (folder / "config.yaml").write_text(name)
    git(tmp_path, "init", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "tasks")
    git(tmp_path, "checkout", "-b", "change")
    (tmp_path / "notes.md").write_text("text")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "notes")
    return tmp_path


@pytest.mark.parametrize("decides", ["evaluator/judge/compare.py", "evaluator/pipeline.py"])
def test_what_changed_is_what_differs_from_where_the_change_began(clone: Path, decides: str) -> None:
    assert change_of(clone, clone / "tasks").tasks == frozenset()
    assert not change_of(clone, clone / "tasks").decides
    (clone / "tasks/c/s/one/config.yaml").write_text("another")
    git(clone, "commit", "-am", "one")
    (clone / "tasks/c/s/two/variants").mkdir()
    (clone / "tasks/c/s/two/variants/second.py").write_text("not yet added")
    (clone / "evaluator/judge").mkdir(parents=True)
    (clone / "evaluator/wording.py").write_text("")
    assert not change_of(clone, clone / "tasks").decides
    (clone / decides).write_text("")
    change = change_of(clone, clone / "tasks")
    assert (change.tasks, change.decides) == ({"c/s/one", "c/s/two"}, True)
    git(clone, "checkout", "main")
    git(clone, "commit", "--allow-empty", "-m", "elsewhere")
    git(clone, "checkout", "change")
    assert change_of(clone, clone / "tasks").tasks == {"c/s/one", "c/s/two"}


def test_a_clone_that_does_not_say_validates_what_has_no_line(
    clone: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write_line("c/s/two", replace(PASSED, key=key_of(clone / "tasks/c/s/two")), clone / "tasks")
    git(clone, "add", ".")
    git(clone, "commit", "-m", "a line")
    shallow = tmp_path_factory.mktemp("shallow")
    git(clone, "clone", "--depth", "1", f"file://{clone}", str(shallow))
    change = change_of(shallow, shallow / "tasks")
    assert (change.tasks, change.decides) == ({"c/s/one", "c/s/three"}, True)
    shutil.rmtree(shallow / ".git")
    assert change_of(shallow, shallow / "tasks").tasks == {"c/s/one", "c/s/three"}


def test_a_tenth_is_another_one_for_each_commit_and_the_same_for_every_worker() -> None:
    ids = [f"task {number}" for number in range(372)]
    tenths = [{*tenth(ids, f"commit {number}")} for number in range(60)]
    assert {len(one) for one in tenths} == {38}
    assert tenths[0] == {*tenth(ids[::-1], "commit 0")} != tenths[1]
    assert set().union(*tenths) == {*ids}, "a task that no commit draws would be left out for ever"


def test_one_of_each_kind_is_taken_where_none_is_yet() -> None:
    kinds = {kind_of(task_id) for task_id in one_a_kind(task_ids(), anchors(), "a commit")}
    assert len(kinds) == len(one_a_kind(task_ids(), anchors(), "a commit")) > 0
    assert kinds == {*map(kind_of, task_ids())} - {*map(kind_of, anchors())}


def test_a_run_validates_anchors_what_changed_a_tenth_and_if_verdicts_may_change_one_of_each_kind() -> None:
    ids, commit = task_ids(), "a commit"
    changed = frozenset([min({*ids} - anchors() - {*tenth(ids, commit)})])
    few = {*anchors(), *changed, *tenth(ids, commit)}
    assert chosen(ids, Change(commit, changed, decides=False)) == few < {*ids}
    more = chosen(ids, Change(commit, changed, decides=True))
    assert more == few | one_a_kind(ids, few, commit) <= {*ids}
    assert {*map(kind_of, more)} == {*map(kind_of, ids)} > {*map(kind_of, few)}


def test_this_run_covers_what_is_chosen() -> None:
    assert covered() == tuple(sorted(chosen(task_ids(), change_of(REPOSITORY, tasks_folder()))))


def test_all_that_decides_verdicts_is_there() -> None:
    assert all((REPOSITORY / "evaluator" / name).exists() for name in DECIDING)
