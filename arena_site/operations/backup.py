"""`manage.py backup FILE`: all data of the site in a zip file: the database's rows, and archived records and sources.

The backup is consistent: rows are read in one transaction, and the stored files that they name were written before
and never change. A file that a row names and that is not there is reported, with the row. The manifest is written last,
so that an incomplete file is detected. The file is as secret as the database: it contains password hashes, second
factors, the secrets of rounds not yet revealed, and results on their cases.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from arena_site.operations import table_rows
from evaluator.state import sync_folder
from runs import archive, disk
from runs.models import Round
from runs.references import who_names

FORMAT, MANIFEST = "arena-backup-2", "manifest.json"
ROWS, ROWS_OF_A_FILE = "rows", 3
FOLDERS = {archive.ARCHIVE: "archive", archive.UPLOADS: "uploads"}  # of each store's files


@dataclass(frozen=True, slots=True)
class Summary:
    rows: int
    files: int
    damaged: tuple[str, ...]  # files with other contents, which are left out
    missing: tuple[str, ...]  # files that rows name, each with the rows
    open_rounds: int  # rounds not yet revealed, whose secrets are in the file


def write_backup(path: Path) -> Summary:
    """Write the backup atomically to a file that only its owner can read.

    Raises:
        FileExistsError: the file exists.
        OSError: it cannot be written, or would take the reserve of the site's own disk.
    """
    if path.exists():
        raise FileExistsError(f"{path} exists, and backups are never overwritten")
    if disk.is_shared_with(path.parent):
        files_bytes = sum(file.stat().st_size for store in FOLDERS for _, file in archive.files_of(store))
        disk.refuse_without_room(files_bytes + _database_bytes())
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
        part = Path(file.name)  # readable only by its owner
        try:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
                summary = _fill(packed)
            file.flush()
            os.fsync(file.fileno())
            os.link(part, path)
            sync_folder(path.parent)
        finally:
            part.unlink()
    return summary


def applied_migrations() -> list[list[str]]:
    return sorted([app, name] for app, name in MigrationRecorder(connection).applied_migrations())


def member_of_table(label: str) -> str:
    return f"{ROWS}/{label}.jsonl"


def member_of_file(store: str, digest: str) -> str:
    return f"{FOLDERS[store]}/{digest}.gz"


def _database_bytes() -> int:
    """Return what the database takes on its disk, which its rows do not exceed in the backup, compressed."""
    sqlite = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    postgresql = "SELECT pg_database_size(current_database())"
    with connection.cursor() as cursor:
        cursor.execute(sqlite if connection.vendor == "sqlite" else postgresql)
        return int(cursor.fetchone()[0])


def _fill(packed: zipfile.ZipFile) -> Summary:
    with _snapshot():
        tables = {label: _write_table(packed, label, model) for label, model in table_rows.tables().items()}
        open_rounds = Round.objects.filter(revealed_at__isnull=True).count()
        migrations = applied_migrations()
        missing = [line for store in FOLDERS for line in _missing(store)]
    files, damaged = dict[str, list[str]](), list[str]()
    for store, folder in FOLDERS.items():
        files[folder], odd = _write_files(packed, store)
        damaged += [f"{folder}/{digest}" for digest in odd]
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "migrations": migrations,
        "tables": tables,
        "files": files,
        "damaged": damaged,
        "missing": missing,
        "open_rounds": open_rounds,
    }
    packed.writestr(MANIFEST, json.dumps(manifest, indent=1))
    rows, kept = sum(table["rows"] for table in tables.values()), sum(map(len, files.values()))
    return Summary(rows, kept, tuple(damaged), tuple(missing), open_rounds)


def _missing(store: str) -> list[str]:
    """Return a line for each file that rows name and that is not there, with the first few of these rows."""
    named = dict[str, list[str]]()
    for digest, row in who_names(store=store):
        if not archive.has(digest, store):
            named.setdefault(digest, []).append(row)
    return [
        f"{FOLDERS[store]}/{digest} of {', '.join(rows[:ROWS_OF_A_FILE])}" for digest, rows in sorted(named.items())
    ]


def _write_table(packed: zipfile.ZipFile, label: str, model: Any) -> dict[str, Any]:
    sha256, rows = hashlib.sha256(), 0
    with packed.open(member_of_table(label), "w", force_zip64=True) as member:
        for line in table_rows.lines_of(model):
            data = f"{line}\n".encode()
            sha256.update(data)
            member.write(data)
            rows += 1
    return {"rows": rows, "sha256": sha256.hexdigest(), "columns": table_rows.columns(model)}


def _write_files(packed: zipfile.ZipFile, store: str) -> tuple[list[str], list[str]]:
    """Copy the files of a store; return digests of valid and of damaged ones. Damaged files are left out, since a
    backup with them could not be restored."""
    valid, damaged = list[str](), list[str]()
    for digest, path in archive.files_of(store):
        with contextlib.suppress(FileNotFoundError):  # deleted since the rows were read
            with path.open("rb") as file:
                is_whole = archive.is_packed(file, digest)
            if is_whole:
                packed.write(path, member_of_file(store, digest), zipfile.ZIP_STORED)
            (valid if is_whole else damaged).append(digest)
    return valid, damaged


@contextmanager
def _snapshot() -> Iterator[None]:
    """Open a transaction that reads a consistent snapshot without blocking writers."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")  # Django would take the write lock
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic():
            connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield
