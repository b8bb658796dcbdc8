"""`manage.py restore FILE`: restore a backup into an empty database, completely or not at all.

The whole file is compared with its manifest before anything is written. Then the archived files are written, which no
row names yet, and finally all rows in one transaction.
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
from arena_site.operations.backup import (
    FOLDERS,
    FORMAT,
    MANIFEST,
    applied_migrations,
    member_of_file,
    member_of_table,
)
from evaluator.unseen.rounds import secret_digest
from evaluator.wording import counted
from runs import archive, guards
from runs.models import Round

CHUNK_BYTES = 1 << 20
SHOWN = 5


class RestoreError(Exception):
    """A file cannot be restored; the site is unchanged. Its text says why, in a sentence."""


@dataclass(frozen=True, slots=True)
class RestoredTable:
    rows: int
    sha256: str
    columns: list[str]


@dataclass(frozen=True, slots=True)
class Manifest:
    tables: Mapping[str, RestoredTable]
    files: tuple[tuple[str, str], ...]  # store and digest
    lost: tuple[str, ...]  # files that were damaged or missing when the backup was made
    made_at: str

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables.values())


def restore_backup(path: Path) -> Manifest:
    """Restore a backup and return its manifest.

    Raises:
        RestoreError: the file is not a complete backup or has other migrations, or the database is not empty.
    """
    try:
        with zipfile.ZipFile(path) as packed:
            manifest = _manifest(packed)
            _refuse_nonempty_database(manifest)
            _verify(packed, manifest)
            with _archived(packed, manifest):
                _insert_all(packed, manifest)
    except FileNotFoundError as error:
        raise RestoreError(f"{path} does not exist") from error
    except (zipfile.BadZipFile, EOFError, zlib.error, RuntimeError) as error:
        raise RestoreError(f"{path} is not a backup, or incomplete: {error}") from error
    except (OSError, DatabaseError, ValueError) as error:
        raise RestoreError(f"nothing was restored: {error}") from error
    ContentType.objects.clear_cache()
    return manifest


def _manifest(packed: zipfile.ZipFile) -> Manifest:
    if MANIFEST not in packed.namelist():
        raise RestoreError("the file is not a backup of this site: it has no manifest")
    try:
        content = json.loads(packed.read(MANIFEST))
        if content["format"] != FORMAT:
            raise RestoreError(f"the backup's format is {content['format']!r}; this version reads {FORMAT!r}")
        tables = {
            label: RestoredTable(int(one["rows"]), one["sha256"], one["columns"])
            for label, one in content["tables"].items()
        }
        files = tuple((store, digest) for store, folder in FOLDERS.items() for digest in content["files"][folder])
        manifest = Manifest(tables, files, (*content["damaged"], *content["missing"]), content["made_at"])
        migrations = [list(one) for one in content["migrations"]]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RestoreError("the file is not a backup of this site: its manifest cannot be read") from error
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


def _refuse_nonempty_database(manifest: Manifest) -> None:
    """Raise RestoreError if the tables differ, or if the database has more rows than `migrate` makes."""
    models = table_rows.tables()
    if set(models) != set(manifest.tables):
        raise RestoreError(
            f"the backup has different tables: {', '.join(sorted(set(models) ^ set(manifest.tables))[:SHOWN])}"
        )
    ours = [label for label in models if label.startswith(("auth.user", "runs.")) and label != "runs.revision"]
    if full := [label for label in ours if models[label]._base_manager.exists()]:
        raise RestoreError(
            f"this database is not empty ({', '.join(full[:SHOWN])}): restore into a new one, after `manage.py migrate`"
        )


def _verify(packed: zipfile.ZipFile, manifest: Manifest) -> None:
    """Compare every member with the manifest."""
    wanted = {member_of_table(label) for label in manifest.tables} | {member_of_file(*one) for one in manifest.files}
    names = packed.namelist()
    if sorted(names) != sorted([*wanted, MANIFEST]):
        odd = sorted({*names, *wanted, MANIFEST} - (set(names) & {*wanted, MANIFEST})) or ["a duplicate"]
        raise RestoreError(f"the files in the backup differ from its manifest: {', '.join(odd[:SHOWN])}")
    models = table_rows.tables()
    for label, table in manifest.tables.items():
        if table.columns != table_rows.columns(models[label]):
            raise RestoreError(f"the columns of {label} differ from those in the backup")
        sha256 = hashlib.sha256()
        with packed.open(member_of_table(label)) as member:
            while chunk := member.read(CHUNK_BYTES):
                sha256.update(chunk)
        if sha256.hexdigest() != table.sha256:
            raise RestoreError(f"the rows of {label} are damaged")
    for store, digest in manifest.files:
        with packed.open(member_of_file(store, digest)) as member:
            if not archive.is_packed(member, digest):
                raise RestoreError(f"the archived file {digest} is damaged")


@contextmanager
def _archived(packed: zipfile.ZipFile, manifest: Manifest) -> Iterator[None]:
    """Write the archived files; on an error in the context, delete those that are new."""
    new: list[tuple[str, str]] = []
    try:
        for store, digest in manifest.files:
            with packed.open(member_of_file(store, digest)) as member:
                new += [(store, digest)] if archive.put_packed(member, digest, store) else []
        yield
    except BaseException:
        for store, digest in new:
            archive.remove(digest, store)
        raise


def _insert_all(packed: zipfile.ZipFile, manifest: Manifest) -> None:
    """Insert all rows in one transaction, without guards: published rows arrive in the order of tables."""
    models = table_rows.tables()
    with guards.lifted():
        table_rows.empty(models.values())
        for label, model in models.items():
            _insert(packed, label, model, manifest.tables[label].rows)
        connection.check_constraints()
        table_rows.reset_sequences(models.values())
        for round in Round.objects.all():
            if secret_digest(round.secret.encode()) != round.secret_hash:
                raise RestoreError(f"the secret of round {round} does not match its published hash")


def _insert(packed: zipfile.ZipFile, label: str, model: type[Model], rows: int) -> None:
    with packed.open(member_of_table(label)) as member, io.TextIOWrapper(member, "utf-8", newline="\n") as lines:
        count = table_rows.insert(model, lines)
    if count != rows:
        raise RestoreError(f"{label} has {counted(count, 'row')}; its manifest says {rows}")
