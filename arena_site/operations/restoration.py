"""`manage.py restore FILE`: a backup becomes the site again, in an empty database, all of it or nothing.

The whole file is read and compared with its manifest before anything is written. Then come the files of the archive,
which nothing names yet, and at last all rows in one transaction.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.contrib.contenttypes.models import ContentType
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model

from arena_site.operations import table_rows
from arena_site.operations.backup import FORMAT, MANIFEST, applied_migrations, member_of_file, member_of_table
from evaluator.unseen.rounds import secret_digest
from evaluator.wording import counted
from runs import archive, guards
from runs.models import Round

CHUNK_BYTES = 1 << 20
SHOWN = 5


class RestoreError(Exception):
    """Why a file is not restored, in a sentence; the site is as it was."""


@dataclass(frozen=True, slots=True)
class RestoredTable:
    rows: int
    sha256: str
    columns: list[str]


@dataclass(frozen=True, slots=True)
class Manifest:
    tables: Mapping[str, RestoredTable]
    files: tuple[str, ...]
    damaged: tuple[str, ...]
    made_at: str

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables.values())


def restore_backup(path: Path) -> Manifest:
    """
    Raises:
        RestoreError: it is no backup, not whole, of other migrations, or the database is not empty.
    """
    try:
        with zipfile.ZipFile(path) as packed:
            manifest = _manifest(packed)
            _refuse_another_site(manifest)
            _read_all(packed, manifest)
            with _archived(packed, manifest):
                _insert_all(packed, manifest)
    except FileNotFoundError as error:
        raise RestoreError(f"{path} is not there") from error
    except (zipfile.BadZipFile, EOFError, zlib.error, RuntimeError) as error:
        raise RestoreError(f"{path} is no backup, or not all of one: {error}") from error
    except (OSError, DatabaseError, ValueError) as error:
        raise RestoreError(f"nothing was restored: {error}") from error
    ContentType.objects.clear_cache()
    return manifest


def _manifest(packed: zipfile.ZipFile) -> Manifest:
    if MANIFEST not in packed.namelist():
        raise RestoreError("the file is no backup of this site: it has no manifest")
    try:
        said = json.loads(packed.read(MANIFEST))
        if said["format"] != FORMAT:
            raise RestoreError(f"the backup's format is {said['format']!r}; this version reads {FORMAT!r}")
        tables = {
            label: RestoredTable(int(one["rows"]), one["sha256"], one["columns"])
            for label, one in said["tables"].items()
        }
        manifest = Manifest(tables, tuple(said["files"]), tuple(said["damaged"]), said["made_at"])
        migrations = [list(one) for one in said["migrations"]]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RestoreError("the file is no backup of this site: its manifest cannot be read") from error
    _refuse_other_migrations(migrations)
    return manifest


def _refuse_other_migrations(migrations: list[list[str]]) -> None:
    here = applied_migrations()
    if other := [one for one in [*migrations, *here] if (one in migrations) != (one in here)]:
        names = ", ".join("/".join(one) for one in other[:SHOWN])
        has_them_all = {tuple(one) for one in migrations} <= set(MigrationLoader(None).disk_migrations)
        raise RestoreError(
            f"the backup and this database differ in {len(other)} migrations ({names}): check out the version that "
            f"made the backup{', restore, and migrate from there' if has_them_all else ' and restore it there'}"
        )


def _refuse_another_site(manifest: Manifest) -> None:
    """Nothing is ever written over: what `migrate` alone has made may be there, and nothing else."""
    models = table_rows.tables()
    if set(models) != set(manifest.tables):
        raise RestoreError(
            f"the backup has other tables: {', '.join(sorted(set(models) ^ set(manifest.tables))[:SHOWN])}"
        )
    ours = [label for label in models if label.startswith(("auth.user", "runs.")) and label != "runs.revision"]
    if full := [label for label in ours if models[label]._base_manager.exists()]:
        raise RestoreError(
            f"this database is not empty ({', '.join(full[:SHOWN])}): restore into a new one, after `manage.py migrate`"
        )


def _read_all(packed: zipfile.ZipFile, manifest: Manifest) -> None:
    """Each member, whole, against the manifest."""
    wanted = {member_of_table(label) for label in manifest.tables} | {member_of_file(one) for one in manifest.files}
    names = packed.namelist()
    if sorted(names) != sorted([*wanted, MANIFEST]):
        odd = sorted({*names, *wanted, MANIFEST} - (set(names) & {*wanted, MANIFEST})) or ["one of them twice"]
        raise RestoreError(f"the backup's members are not those of its manifest: {', '.join(odd[:SHOWN])}")
    models = table_rows.tables()
    for label, table in manifest.tables.items():
        if table.columns != table_rows.columns(models[label]):
            raise RestoreError(f"{label} has other columns here than in the backup")
        sha256 = hashlib.sha256()
        with packed.open(member_of_table(label)) as member:
            while chunk := member.read(CHUNK_BYTES):
                sha256.update(chunk)
        if sha256.hexdigest() != table.sha256:
            raise RestoreError(f"the rows of {label} are not those that were written")
    for digest in manifest.files:
        with packed.open(member_of_file(digest)) as member:
            if not archive.is_packed(member, digest):
                raise RestoreError(f"the archive's file {digest} is not what its name says")


@contextmanager
def _archived(packed: zipfile.ZipFile, manifest: Manifest) -> Iterator[None]:
    """The files are there; those that were not before go again where what follows fails."""
    new: list[str] = []
    try:
        for digest in manifest.files:
            with packed.open(member_of_file(digest)) as member:
                new += [digest] if archive.put_packed(member, digest) else []
        yield
    except BaseException:
        for digest in new:
            archive.forget(digest)
        raise


def _insert_all(packed: zipfile.ZipFile, manifest: Manifest) -> None:
    """In one transaction, and without guards: rows of what was published come in the order of their tables."""
    models = table_rows.tables()
    with guards.lifted():
        table_rows.empty(models.values())
        for label, model in models.items():
            _insert(packed, label, model, manifest.tables[label].rows)
        connection.check_constraints()
        table_rows.continue_numbering(models.values())
        for round in Round.objects.all():
            if secret_digest(round.secret.encode()) != round.secret_hash:
                raise RestoreError(f"the secret of round {round} is not the one that was announced")


def _insert(packed: zipfile.ZipFile, label: str, model: type[Model], rows: int) -> None:
    with packed.open(member_of_table(label)) as member, io.TextIOWrapper(member, "utf-8", newline="\n") as lines:
        count = table_rows.insert(model, lines)
    if count != rows:
        raise RestoreError(f"{label} has {counted(count, 'row')}, its manifest {rows}")
