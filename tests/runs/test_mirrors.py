"""Rows that mirror files: tasks and suites by digest, the papers' tables as printed, the archive."""

from __future__ import annotations

import dataclasses
import gzip
from pathlib import Path

import pytest
from django.conf import settings

from evaluator.errors import TaskError
from evaluator.tasks.spec import TaskSpec
from runs import archive
from runs.archive import ArchiveError
from runs.errors import RunError
from runs.loading import catalog
from runs.loading import published as papers
from runs.models import PublishedTable, Suite, Task
from runs.services.catalog import mirror_suite, mirror_tasks
from tests.factories import sha256

pytestmark = pytest.mark.django_db


def test_every_bundled_task_and_suite_has_a_current_row() -> None:
    mirrored = catalog.mirror()
    assert mirrored.tasks == Task.objects.filter(is_current=True).count() >= 6
    smoke = Suite.objects.get(name="smoke", is_current=True)
    assert smoke.label in mirrored.suites
    assert smoke.tasks.count() == 6
    catalog.mirror()
    assert Suite.objects.count() == len(mirrored.suites)


def test_a_row_holds_what_pages_say_of_a_task_and_the_baseline(specs: list[TaskSpec]) -> None:
    row = mirror_tasks(specs=specs)["hip2hip/arena/GELU"]
    assert (row.category, row.source, row.name, row.digest) == ("hip2hip", "arena", "GELU", specs[0].digest)
    assert {case["profile"] for case in row.cases} == {"small", "full"}
    for path, digest in row.files.items():
        assert archive.get(digest) == (specs[0].folder / path).read_bytes()


def test_a_changed_task_is_another_row_and_the_old_one_stays(specs: list[TaskSpec]) -> None:
    old = mirror_tasks(specs=specs)[specs[0].id]
    changed = dataclasses.replace(specs[0], digest=sha256("changed"))
    new = mirror_tasks(specs=[changed])[specs[0].id]
    old.refresh_from_db()
    assert (old.is_current, new.is_current, old.pk == new.pk) == (False, True, False)
    assert not Task.objects.filter(path=specs[1].id, is_current=True).exists()
    mirror_tasks(specs=specs)
    old.refresh_from_db()
    assert old.is_current


def test_a_version_that_is_another_list_is_refused(specs: list[TaskSpec]) -> None:
    tasks = list(mirror_tasks(specs=specs).values())
    about = {"name": "mine", "version": 1, "title": "", "tasks": tasks}
    mirror_suite(digest=sha256("first"), **about)
    with pytest.raises(RunError, match="freeze it as a new version"):
        mirror_suite(digest=sha256("second"), **about)
    second = mirror_suite(digest=sha256("second"), **about | {"version": 2})
    assert list(Suite.objects.filter(name="mine", is_current=True)) == [second]


def test_one_broken_task_leaves_the_rows_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog.mirror()
    folder = tmp_path / "hip2hip" / "arena" / "broken"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("task_type: hip2hip\n")
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path))
    with pytest.raises(TaskError):
        catalog.mirror()
    assert Task.objects.filter(is_current=True).count() >= 6


def test_the_papers_tables_are_stored_as_printed_and_once() -> None:
    papers.load_published()
    papers.load_published()
    table = PublishedTable.objects.get(slug="agentkernelarena-main-results")
    first = table.rows.order_by("position")[0].cells
    assert table.rows.count() == 24
    assert (first["agent"], first["mean_speedup"], first["geo_mean_sigma_r"]) == ("Claude Code", "6.69", "0.13")
    assert "arXiv 2605.16819" in table.citation
    assert table.citation.endswith("tables 2-4")
    assert (table.device, table.clock) == (
        "AMD Instinct MI300X, ROCm 7.1.1",
        "aka_loop (HIP to HIP, PyTorch to HIP); aka_events (Triton to Triton)",
    )
    assert PublishedTable.objects.count() == 13


def test_every_label_of_a_published_table_has_its_cells() -> None:
    papers.load_published()
    for table in PublishedTable.objects.all():
        keys = {column["key"] for column in table.columns}
        assert all(keys < set(row.cells) for row in table.rows.all())


def test_the_archive_gives_back_what_was_put_and_keeps_it_once() -> None:
    digest = archive.put(b"kernel" * 1000)
    assert archive.put(b"kernel" * 1000) == digest
    assert archive.get(digest) == b"kernel" * 1000
    path = Path(settings.ARCHIVE_FOLDER) / digest[:2] / f"{digest}.gz"
    assert path.stat().st_size < 200
    assert not list(path.parent.glob("*.part"))


@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"something else"), b"not gzip", b"", gzip.compress(b"kernel")[:-3]],
    ids=["another", "not gzip", "empty", "cut"],  # gzip writes the time
)
def test_the_archive_never_gives_out_a_damaged_file(content: bytes) -> None:
    digest = archive.put(b"kernel")
    path = Path(settings.ARCHIVE_FOLDER) / digest[:2] / f"{digest}.gz"
    path.write_bytes(content)
    with pytest.raises(ArchiveError):
        archive.get(digest)
    path.unlink()


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "A" * 64, sha256("never stored")])
def test_the_archive_refuses_a_name_it_does_not_hold(digest: str) -> None:
    with pytest.raises(ArchiveError):
        archive.get(digest)
