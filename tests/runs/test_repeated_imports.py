"""`import_bundle` once more: it says what it changes, corrections take effect or are refused, and `--check` agrees."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from evaluator.bundles.checking import CheckedBundle, check_files
from evaluator.bundles.problems import BundleProblem
from runs.loading import bundles as intake
from runs.models import Agent, AuditEntry, Claim, Run, Submission
from runs.services import submissions, takedowns
from runs.submissions.forms import SubmitForm
from tests.bundles import made
from tests.bundles.hostile import HOSTILE
from tests.bundles.samples import FOLDER as SAMPLES
from tests.bundles.samples import OUTCOMES
from tests.bundles.test_fuzz import BUNDLES
from tests.runs.bundling import make_folder, make_zip
from tests.runs.conftest import Site, checked, submitted

pytestmark = pytest.mark.django_db
FACTS = ["agent=Somebody", "level=1"]
SLOW = {  # of some seconds; test_archive tries them
    *(
        "tar: 250 headers of 13,000 records",
        "JSON: lists in many files",
        "JSON: ten million lists",
        "zip: 20,001 files",
    ),
}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return write(tmp_path, {"1": made.kb_result(), "2": made.kb_result(3.0)})


def write(folder: Path, results: dict[str, Any], name: str = "eval_results.json") -> Path:
    (folder / name).write_text(json.dumps(results))
    return folder / name


@pytest.fixture
def imported(site: Site, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(path: Path, *facts: str, **options: Any) -> str:
        call_command("import_bundle", path, set=list(facts), **options)
        return capsys.readouterr().out

    return run


def test_the_same_file_again_changes_nothing_and_says_so(imported: Any, results: Path) -> None:
    first = imported(results, *FACTS)
    kept = list(Claim.objects.values_list("pk", flat=True))
    assert "2 claims of KernelBench" in first
    assert "imported before" not in first
    assert "imported before: 0 new, 2 same, 0 changed, 0 gone" in imported(results, *FACTS)
    assert "imported before: 0 new, 2 same, 0 changed, 0 gone" in imported(results)
    assert list(Claim.objects.values_list("pk", flat=True)) == kept
    assert not AuditEntry.objects.filter(action="declare").exists()


@pytest.mark.parametrize("is_public", [False, True])
def test_a_corrected_level_takes_effect_and_is_in_the_audit_log(imported: Any, results: Path, is_public: bool) -> None:
    imported(results, *FACTS, publish=is_public)
    said = imported(results, "level=2")
    assert "level: 1 → 2; imported before: 2 new, 0 same, 0 changed, 2 gone" in said
    submission = Submission.objects.get()
    assert (submission.about["suite"], submission.declared["level"]) == ("kernelbench-level2", "2")
    assert (submission.claim_count, submission.claims.count(), submission.is_public) == (2, 2, is_public)
    assert "level 1 → 2" in AuditEntry.objects.get(action="declare").reason.lower().replace(":", "").replace(
        "kernelbench ", ""
    )


def test_a_level_that_cannot_be_read_is_refused_and_changes_nothing(
    imported: Any, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(results, *FACTS)
    before = Submission.objects.values().get()
    with pytest.raises(CommandError, match="level=nine: expected one of the levels 1, 2"):
        imported(results, "level=nine")
    monkeypatch.setattr(intake, "check_files", lambda *read: CheckedBundle(None, (BundleProblem("x", "a", "b"),)))
    with pytest.raises(CommandError, match="x: seen a; expected b"):
        imported(results, "level=2")
    assert Submission.objects.values().get() == before
    assert Claim.objects.count() == 2


def test_what_our_reader_reads_otherwise_now_is_a_changed_row(imported: Any, results: Path) -> None:
    imported(results, *FACTS)
    Claim.objects.filter(task="level1/1").update(status="crashed")  # as an older version of ours read it
    assert "0 new, 1 same, 1 changed, 0 gone" in imported(results)
    assert not Claim.objects.filter(status="crashed").exists()


def test_a_later_file_of_the_same_source_is_compared_row_by_row(imported: Any, results: Path, tmp_path: Path) -> None:
    imported(results, *FACTS)
    first = Submission.objects.get()
    later = write(tmp_path, {"2": made.kb_result(4.0), "3": made.kb_result()}, "later.json")
    assert f"compared with {first}: 1 new, 0 same, 1 changed, 1 gone" in imported(later, *FACTS)
    other = write(tmp_path, {"2": made.kb_result(5.0)}, "other.json")
    assert "compared with" not in imported(other, "agent=Another", "level=1")


def test_no_licence_is_invented_and_one_that_is_stated_counts(imported: Any, results: Path) -> None:
    assert SubmitForm()["licence"].value() is None
    assert '<option value="" selected>Choose</option>' in str(SubmitForm()["licence"])
    assert "licence not stated" in imported(results, *FACTS)
    assert Submission.objects.get().licence == ""
    assert "licence" in Submission.objects.get().undeclared_facts
    imported(results, publish=True)
    assert "not stated" in Client().get("/claims/").content.decode()
    assert "licence: nothing → MIT" in imported(results, licence="MIT")
    assert "licence: MIT → CC0-1.0" in imported(results, "licence=CC0-1.0")
    assert Submission.objects.get().licence == "CC0-1.0"
    with pytest.raises(CommandError, match=r"--licence: seen MIT; expected CC0-1\.0"):
        imported(results, "licence=CC0-1.0", licence="MIT")


def test_the_licence_that_a_bundle_states_is_its_licence(imported: Any, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name, data in made.kb(declared="level: 1\nagent: Somebody\nlicence: MIT").items():
        (folder / name).write_bytes(data)
    assert "licence MIT" in imported(folder)


def test_a_run_keeps_its_configuration_and_takes_a_licence(imported: Any, site: Site, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "run", site.suite)
    imported(path)
    assert "imported before: 0 new, 2 same, 0 changed, 0 gone" in imported(path)
    assert "licence: nothing → CC-BY-4.0" in imported(path, licence="CC-BY-4.0")
    with pytest.raises(CommandError, match="keeps its configuration"):
        imported(path, configuration="expert")
    assert Run.objects.count() == 1


def test_what_somebody_else_submitted_is_not_corrected(
    imported: Any, site: Site, submitter: User, results: Path
) -> None:
    theirs = checked(submitted(results, submitter, declared={"agent": "Sam's agent", "level": "1"}))
    assert "0 new, 2 same" in imported(results)
    with pytest.raises(CommandError, match="of sam has these bytes and keeps what it says"):
        imported(results, "level=2")
    theirs.refresh_from_db()
    assert theirs.declared["level"] == "1"


def test_what_was_taken_down_does_not_come_again(imported: Any, results: Path) -> None:
    imported(results, *FACTS, publish=True)
    takedowns.take_down(submission=Submission.objects.get(), actor="test", reason="theirs")
    with pytest.raises(CommandError, match="was taken down"):
        imported(results, *FACTS)


def test_a_submitter_who_says_something_else_of_the_same_bytes_is_told(
    site: Site, submitter: User, results: Path
) -> None:
    fields = {"agent": "A", "level": "1", "licence": "MIT", "consent": "on"}
    client = Client()
    client.force_login(submitter)

    def submit(**changes: str) -> str:
        with results.open("rb") as file:
            answer = client.post("/submit/upload/", fields | changes | {"bundle": file}, follow=True)
        return answer.content.decode()

    submit()
    checked(Submission.objects.get())
    assert "You submitted this file before" in submit()
    told = submit(level="2", licence="CC0-1.0")
    assert "level: 1 → 2" in told.lower().replace("kernelbench ", "")
    assert "licence: mit → cc0-1.0" in told.lower()
    assert Submission.objects.get().licence == "MIT"


# --check and the import


def outcome(path: Path, **options: Any) -> str:
    """What the command refuses, by its own words; empty if it accepts."""
    try:
        call_command("import_bundle", path, **options)
    except CommandError as error:
        return str(error)
    return ""


def agree(path: Path, **options: Any) -> str:
    before = stored()
    said = outcome(path, check=True, **options)
    assert stored() == before, "a check stores nothing"
    assert outcome(path, **options) == said
    return said


def stored() -> tuple[int, ...]:
    files = sum(path.is_file() for path in Path(settings.ARCHIVE_FOLDER).rglob("*"))
    return files, *(model.objects.count() for model in (Submission, Claim, Run, AuditEntry))


def test_check_and_import_refuse_the_same_archives(tmp_path: Path) -> None:
    for number, name in enumerate(HOSTILE.keys() - SLOW):
        make, _ = HOSTILE[name]
        (tmp_path / str(number)).mkdir()
        said = agree(make(tmp_path / str(number)))
        assert "not imported, " in said or name == "nothing there", name


def test_check_and_import_agree_on_every_format(tmp_path: Path) -> None:
    for number, files in enumerate(make() for make in BUNDLES):
        for name, data in files.items():
            path = tmp_path / f"{number}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        said = agree(tmp_path / f"{number}"), agree(tmp_path / f"{number}", set=["agent=Somebody"])
        assert any(said) or not check_files(files).problems, sorted(files)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="real samples are not part of the repository")
def test_check_and_import_agree_on_real_results() -> None:
    for name, declared, _ in OUTCOMES:
        agree(SAMPLES / name, set=[f"{key}={value}" for key, value in {"agent": "Somebody", **declared}.items()])


def test_check_refuses_what_only_this_site_can_refuse(site: Site, tmp_path: Path) -> None:
    good = make_zip(tmp_path / "run", site.suite)
    assert agree(make_folder(tmp_path / "other", site.suite, suite_digest="0" * 64))
    assert "no configuration is named 'nobody'" in agree(good, configuration="nobody")
    assert "built-in agent" in agree(good, set=["agent=Expert"])
    Agent.objects.filter(slug="eager").update(slug="renamed", name="Renamed")
    assert "name of a built-in agent" in agree(good, set=["agent=Eager"]), "also where it is not registered"
    assert agree(good) == ""
    assert agree(good) == ""
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(good) as packed, zipfile.ZipFile(other, "w", zipfile.ZIP_STORED) as unpacked:
        for name in packed.namelist():
            unpacked.writestr(name, packed.read(name))
    assert "has exactly these results" in agree(other)


def test_a_file_is_read_before_the_transaction_that_keeps_others_from_writing(
    imported: Any, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    depth, seen, read = len(connection.savepoint_ids), list[int](), intake.check_files

    def watched(*given: Any) -> CheckedBundle:
        seen.append(len(connection.savepoint_ids) - depth)
        return read(*given)

    monkeypatch.setattr(intake, "check_files", watched)
    for options in ({"check": True}, {}, {"check": True}, {}):
        imported(results, *FACTS, "level=2", **options)
        imported(results, *FACTS, **options)
    assert seen == [0] * 8, "each once"


def test_a_correction_of_what_was_changed_after_it_was_read_is_refused(
    imported: Any, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(results, *FACTS)
    read = intake.check_files

    def overtaken(*given: Any) -> CheckedBundle:
        Submission.objects.update(declared={"agent": "Another", "level": "1", "model": "m"})
        return read(*given)

    monkeypatch.setattr(intake, "check_files", overtaken)
    with pytest.raises(CommandError, match="was changed meanwhile: import it once more"):
        imported(results, "level=2")
    assert Submission.objects.get().declared["level"] == "1"


def test_all_refused_files_are_named_at_once(site: Site, results: Path, tmp_path: Path) -> None:
    (tmp_path / "no.txt").write_text("hello")
    with pytest.raises(CommandError, match=r"no\.txt(.|\n)*missing"):
        call_command("import_bundle", tmp_path / "no.txt", results, tmp_path / "missing", set=FACTS)
    assert Submission.objects.filter(state="accepted").count() == 1


def test_a_fault_of_ours_is_no_problem_of_the_file(site: Site, results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**arguments: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(submissions, "accept_claims", broken)
    assert "a fault of ours" in agree(results, set=FACTS)
