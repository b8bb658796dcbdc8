"""The nightly dump: everything public as Parquet and CSV, with the meaning of the columns and a checksum of each file.

The tables are the collections of the API and the ranks of every leaderboard. They are read in one transaction and
written a few thousand rows at a time, so memory use stays flat. The folder is replaced once the new one is complete.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from django.db import connection, transaction

from leaderboard.csv_text import csv_text, defused
from leaderboard.downloads.ranks import RANK_FIELDS, rank_pages
from leaderboard.downloads.rows import PLAIN, as_text
from leaderboard.queries.collection import Collection, CollectionField, Kind
from leaderboard.queries.dump_folder import ABOUT, SUMS
from leaderboard.queries.public_rows import COLLECTIONS
from runs import disk

Pages = Iterator[Sequence[tuple[Any, ...]]]
ARROW: Mapping[Kind, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "datetime": pa.timestamp("us", tz="UTC"),
    "json": pa.string(),
}
IN_CSV: Mapping[Kind, Callable[[Any], Any]] = {**PLAIN, "text": defused, "json": defused}  # JSON is already text


@dataclass(frozen=True, slots=True)
class DumpTable:
    name: str
    about: str
    fields: tuple[CollectionField, ...]
    pages: Callable[[], Pages]


def write_dump(out: Path) -> dict[str, int]:
    """Replace the content of `out` with a new dump; returns table → number of rows.

    Raises:
        OSError: the disk is full, another dump beside the old one would take the reserve of the site's own disk, or
            `out` cannot be written. Its old content stays.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    if disk.is_shared_with(out.parent):
        disk.refuse_without_room(sum(file.stat().st_size for file in out.glob("*")))
    new = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        with _consistent_read():
            rows = {table.name: _write_table(new, table) for table in _tables()}
        _write_about(new, rows)
        _write_sums(new)
        new.chmod(0o755)
        _replace(out, new)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return rows


def _tables() -> list[DumpTable]:
    ranks = DumpTable(
        "ranks",
        "Entries of every leaderboard, each with its rank or the reason why it has none.",
        RANK_FIELDS,
        rank_pages,
    )
    return [*(DumpTable(one.name, one.about, one.fields, _reader(one)) for one in COLLECTIONS), ranks]


def _reader(collection: Collection) -> Callable[[], Pages]:
    return lambda: collection.stream(collection.public())


@contextmanager
def _consistent_read() -> Iterator[None]:
    """One view of the database for all tables; later changes come with the next dump."""
    with transaction.atomic():
        if connection.vendor == "postgresql" and not connection.savepoint_ids:
            connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _write_table(folder: Path, table: DumpTable) -> int:
    schema = pa.schema([pa.field(one.name, ARROW[one.kind], metadata={"about": one.about}) for one in table.fields])
    rows = 0
    with (
        pq.ParquetWriter(folder / f"{table.name}.parquet", schema, compression="zstd") as parquet,
        (folder / f"{table.name}.csv.gz").open("wb") as file,
        gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="") as lines,
    ):
        lines.write(csv_text([schema.names]))
        for page in table.pages():
            frame = pd.DataFrame(
                page, columns=schema.names, dtype=object
            )  # otherwise a missing integer turns the column into floats
            _change(frame, table.fields, {"json": as_text})
            parquet.write_table(pa.Table.from_pandas(frame, schema, preserve_index=False))
            _change(frame, table.fields, IN_CSV)
            frame.to_csv(lines, header=False, index=False, lineterminator="\r\n")
            rows += len(frame)
    return rows


def _change(
    frame: pd.DataFrame, fields: Sequence[CollectionField], changes: Mapping[Kind, Callable[[Any], Any]]
) -> None:
    for field in fields:
        if change := changes.get(field.kind):
            frame[field.name] = frame[field.name].map(change, na_action="ignore")


def _write_about(folder: Path, rows: Mapping[str, int]) -> None:
    tables = [
        {
            "name": table.name,
            "about": table.about,
            "rows": rows[table.name],
            "columns": [{"name": one.name, "kind": one.kind, "about": one.about} for one in table.fields],
        }
        for table in _tables()
    ]
    about = {"format": "arena-dump-1", "made_at": datetime.now(UTC).isoformat(timespec="seconds"), "tables": tables}
    (folder / ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")


def _write_sums(folder: Path) -> None:
    """Write the checksums in the format of `sha256sum -c SHA256SUMS`."""
    lines = []
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    (folder / SUMS).write_text("".join(lines), encoding="ascii")


def _replace(out: Path, new: Path) -> None:
    old = out.with_name(f".{out.name}-old")
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        os.replace(out, old)
    os.replace(new, out)
    shutil.rmtree(old, ignore_errors=True)
