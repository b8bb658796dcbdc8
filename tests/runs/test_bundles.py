"""Runs from elsewhere: a folder or a zip becomes a run, whole or not at all, once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluator.bundles.archives.packing import slug, zip_folder
from evaluator.bundles.problems import BundleError
from evaluator.records.calibration import write_calibration
from evaluator.records.reasons import Flag
from evaluator.records.record import PROTOCOL, Record, read_record
from evaluator.records.record import HostInfo as RecordHost
from evaluator.state import REPOSITORY
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.suites import read_manifest
from evaluator.unseen.rounds import secret_digest
from runs import archive, candidates
from runs.loading import catalog, registry
from runs.models import (
    Attempt,
    AuditEntry,
    Calibration,
    DeviceClass,
    Host,
    Result,
    Run,
    Task,
    UnseenEvaluation,
    UnseenMeasurement,
)
from runs.services import publishing, rounds
from runs.services.imports import import_run
from tests.bundles.made import read_bundle
from tests.records import CALIBRATION, make_gpu_case, record_for
from tests.runs.bundling import make_folder, make_zip, passing
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db
H100 = RecordHost("cuda", "h100-sxm", "sm_90", {"card": "synthetic", "torch": "2.11.0"})


def imported(site: Site, path: Path, *, publish: bool = False) -> Run:
    run = import_run(bundle=read_bundle(path), configuration=site.configuration, actor="test")
    return publishing.publish_run(run=run, actor="test") if publish else run


def problems_of(site: Site, path: Path) -> list[str]:
    """What it is refused for; nothing may have changed."""
    with pytest.raises(BundleError) as refused:
        imported(site, path)
    assert not Run.objects.exists()
    return [str(problem) for problem in refused.value.problems]


def test_a_zip_becomes_a_run_with_its_records_and_sources(site: Site, tmp_path: Path) -> None:
    run = imported(site, make_zip(tmp_path / "run", site.suite))
    assert (run.origin, run.state, run.trust, run.round) == ("imported", "draft", "claimed", None)
    assert run.results.count() == 2
    for result in run.results.select_related("task"):
        attempt = result.attempts.get()
        assert (attempt.status, attempt.measurements.count()) == ("passed", 2)
        record = read_record(archive.get(attempt.record_digest))
        assert record.candidate.digest == result.candidate_digest == candidates.candidate_of(result).digest
    assert AuditEntry.objects.get().action == "import"


def test_a_folder_and_its_zip_are_one_run(site: Site, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run", site.suite)
    first = imported(site, folder)
    again = imported(site, zip_folder(folder), publish=True)
    assert (first.pk, again.state) == (again.pk, "published")
    assert (Run.objects.count(), Result.objects.filter(published_attempt__isnull=False).count()) == (1, 2)
    imported(site, folder)
    assert AuditEntry.objects.filter(action="publish", result=None).count() == 1


def test_the_host_is_known_by_what_its_records_say(site: Site, tmp_path: Path) -> None:
    def timed(task: Task, candidate: Candidate) -> Record:
        case = make_gpu_case("n=524288,rounds=1", 21.2, 10.0)
        return replace(passing(task, candidate), host=H100, flags=(), cases=(case,))

    run = imported(site, make_zip(tmp_path / "run", site.suite, timed, device_class="h100-sxm"), publish=True)
    host = Host.objects.get(device_class__slug="h100-sxm")
    assert (host.is_enabled, host.is_accepted, host.facts["card"]) == (False, True, "synthetic")
    assert Result.objects.may_rank().filter(run=run).count() == 2


def test_an_uncalibrated_host_is_not_accepted_and_its_results_do_not_rank(site: Site, tmp_path: Path) -> None:
    def timed(task: Task, candidate: Candidate) -> Record:
        case = make_gpu_case("n=524288,rounds=1", 21.2, 10.0)
        return replace(passing(task, candidate), host=H100, flags=(Flag.UNCALIBRATED,), cases=(case,))

    run = imported(site, make_zip(tmp_path / "run", site.suite, timed, device_class="h100-sxm"), publish=True)
    assert Host.objects.get(device_class__slug="h100-sxm").is_accepted is None
    assert not Result.objects.may_rank().filter(run=run).exists()


def test_calibrations_are_stored_for_the_hosts_that_have_their_device(site: Site, tmp_path: Path) -> None:
    card = replace(H100, facts={**H100.facts, "card_uuid": CALIBRATION.device})

    def timed(task: Task, candidate: Candidate) -> Record:
        case = make_gpu_case("n=524288,rounds=1", 21.2, 10.0)
        return replace(passing(task, candidate), host=card, flags=(), cases=(case,))

    folder = make_folder(tmp_path / "run", site.suite, timed, device_class="h100-sxm")
    for found in (CALIBRATION, replace(CALIBRATION, device="GPU-elsewhere")):
        write_calibration(found, folder / "calibrations")
    imported(site, folder, publish=True)
    kept = Calibration.objects.get()
    assert (kept.host.facts["card_uuid"], kept.is_accepted, kept.figures["aa_sd"]) == ("GPU-1", True, 0.002)
    assert kept.host.calibration == kept.figures
    older = replace(CALIBRATION, made_at="2026-11-27T00:00:00+00:00")
    again = make_folder(tmp_path / "again", site.suite, timed, device_class="h100-sxm", repeat=1)
    write_calibration(older, again / "calibrations")
    later = imported(site, again)
    assert Calibration.objects.count() == 1, "a draft's is not stored for its host yet"
    publishing.publish_run(run=later, actor="test")
    kept.host.refresh_from_db()
    assert (Calibration.objects.count(), kept.host.calibration) == (2, kept.figures)


def test_an_unknown_device_class_is_made(site: Site, tmp_path: Path) -> None:
    def failing(task: Task, candidate: Candidate) -> Record:
        return record_for(task.path, task.digest, task.category, candidate, reason="mismatch", host=other)

    other = replace(H100, device_class="new")
    imported(site, make_zip(tmp_path / "run", site.suite, failing, device_class="new"))
    made = DeviceClass.objects.get(slug="new")
    assert (made.architecture, made.is_functional) == ("sm_90", False)


def test_it_lists_every_problem_at_once(site: Site, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run", site.suite, protocol="arena-9")
    (folder / "candidates" / slug("hip2hip/arena/GELU") / "gelu.hip").write_text("// another")
    (folder / "records" / "stranger.json").write_text("{}")
    found = problems_of(site, folder)
    assert [text.split(":")[0] for text in found] == [
        "records/hip2hip--arena--GELU.json",
        "records/hip2hip--arena--GELU.json",
        "records/triton2triton--arena--softmax.json",
        "records/stranger.json",
        "candidates/hip2hip--arena--GELU/gelu.hip",
    ]
    assert "expected 'arena-9', as run.json says" in found[0]
    assert "the files that were evaluated" in found[1]


def test_it_refuses_tasks_of_another_digest_and_names_them(site: Site, tmp_path: Path) -> None:
    tasks = {task.path: task.digest for task in site.suite.tasks.all()} | {"hip2hip/arena/GELU": "0" * 64}
    found = problems_of(site, make_folder(tmp_path / "run", site.suite, tasks=tasks, suite_digest="1" * 64))
    assert any("tasks.hip2hip/arena/GELU: seen 000000000000" in text for text in found)
    assert any("expected a suite of this site with exactly these tasks" in text for text in found)


def test_an_unfinished_run_is_refused(site: Site, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run", site.suite)
    (folder / "records" / "triton2triton--arena--softmax.json").unlink()
    (text,) = problems_of(site, folder)
    assert text.startswith("records/triton2triton--arena--softmax.json: seen nothing")


def test_a_record_of_another_architecture_is_refused(site: Site, tmp_path: Path) -> None:
    def elsewhere(task: Task, candidate: Candidate) -> Record:
        return replace(passing(task, candidate), host=replace(H100, device_class="cpu-x86_64"))

    (text,) = problems_of(site, make_folder(tmp_path / "run", site.suite, elsewhere))
    assert text == "records/: architecture: seen sm_90; expected cpu"


def test_a_round_that_is_not_revealed_is_refused(site: Site, tmp_path: Path) -> None:
    found = problems_of(site, make_folder(tmp_path / "run", site.suite, round="2" * 64))
    assert any("revealed round's secret" in text for text in found)
    assert any(text.startswith("unseen/hip2hip--arena--GELU.json: seen nothing") for text in found)


def test_a_bundle_of_a_revealed_round_brings_its_unseen_cases(site: Site, tmp_path: Path) -> None:
    opened = rounds.open_round(slug="autumn", suite=site.suite, actor="test")
    path = make_zip(tmp_path / "run", site.suite, secret=opened.secret.encode())
    assert "revealed round's secret" in problems_of(site, path)[0]
    rounds.reveal_round(round=opened, actor="test")
    run = imported(site, path)
    assert run.round == opened
    assert UnseenMeasurement.objects.filter(evaluation__attempt__result__run=run).count() == 16
    assert set(UnseenEvaluation.objects.values_list("state", "is_complete")) == {("done", True)}


def test_unseen_cases_that_do_not_follow_from_the_secret_are_refused(site: Site, tmp_path: Path) -> None:
    opened = rounds.open_round(slug="autumn", suite=site.suite, actor="test")
    rounds.reveal_round(round=opened, actor="test")
    folder = make_folder(tmp_path / "run", site.suite, secret=b"another secret", round=opened.secret_hash)
    for path in (folder / "unseen").iterdir():
        path.write_text(path.read_text().replace(secret_digest(b"another secret"), opened.secret_hash))
    found = problems_of(site, folder)
    assert len(found) == 2
    assert all(text.endswith("expected the cases that follow from the secret of autumn") for text in found)


def test_the_command_imports_and_publishes(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = make_zip(tmp_path / "run", site.suite)
    call_command("import_bundle", path, publish=True)
    assert "run.zip: run" in capsys.readouterr().out
    assert Run.objects.get().state == "published"
    call_command("import_bundle", path, publish=True)
    assert (Run.objects.count(), AuditEntry.objects.filter(action="import").count()) == (1, 1)
    other = make_zip(tmp_path / "other", site.suite, repeat=1)
    with pytest.raises(CommandError, match="no configuration is named 'nobody'"):
        call_command("import_bundle", other, configuration="nobody")
    with pytest.raises(CommandError, match="no such file"):
        call_command("import_bundle", tmp_path / "missing")


@pytest.mark.slow
def test_the_committed_bundles_are_of_the_tasks_as_they_are() -> None:
    """The demo's second device: what was measured of other digests is no answer for these tasks."""
    paths = sorted((REPOSITORY / "tasks" / "bundles").glob("*.tar.zst"))
    assert paths
    catalog.mirror()
    registry.load_registry(registry.BUNDLED)
    for path in paths:
        call_command("import_bundle", path, publish=True)  # as `make up` does
        bundle, run = read_bundle(path), Run.objects.latest("pk")
        assert (run.state, run.results.count()) == ("published", len(bundle.tasks))
        assert {entry.record.host.device_class for entry in bundle.entries} == {bundle.device_class}
        if not run.device_class.is_functional:
            assert all(host.calibrations.exists() for host in Host.objects.filter(attempts__result__run=run))


def test_a_bundle_of_a_past_protocol_keeps_its_name_and_is_no_second_run_of_the_current_one(
    site: Site, tmp_path: Path
) -> None:
    now = imported(site, make_folder(tmp_path / "now", site.suite))
    folder = make_folder(tmp_path / "then", site.suite)
    for path in [folder / "run.json", *(folder / "records").iterdir()]:
        path.write_text(path.read_text().replace(f'"{PROTOCOL}"', '"arena-1"'))
    past = imported(site, folder)
    assert (now.protocol, past.protocol, now.repeat) == (PROTOCOL, "arena-1", past.repeat)
    assert set(Attempt.objects.filter(result__run=past).values_list("protocol", flat=True)) == {"arena-1"}
    for run in (now, past):
        assert publishing.publish_run(run=run, actor="test").state == "published"
        assert Result.objects.may_rank().filter(run=run).exists()


def test_records_of_another_protocol_than_their_run_are_refused(site: Site, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run", site.suite)
    (folder / "run.json").write_text((folder / "run.json").read_text().replace(f'"{PROTOCOL}"', '"arena-1"'))
    assert all(f"protocol: seen '{PROTOCOL}'" in text for text in problems_of(site, folder))


def test_the_committed_bundles_show_each_tasks_kernels_compiled_for_gfx942() -> None:
    bundle = read_bundle(REPOSITORY / "tasks" / "bundles" / "cpu-x86_64-native-24-expert.tar.zst")
    records = [entry.record for entry in bundle.entries]
    assert {record.task.id for record in records} == read_manifest("native-24")[1].keys()
    assert all(record.isa_checked["gfx942"] == "compiled" and record.isa for record in records)
