"""The latest nightly dump: its files and row counts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings

ABOUT, SUMS = "schema.json", "SHA256SUMS"


@dataclass(frozen=True, slots=True)
class DumpFile:
    name: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Dump:
    made_at: datetime
    rows: dict[str, int]  # by table
    files: tuple[DumpFile, ...]


def latest() -> Dump | None:
    """The latest dump; None before the first one."""
    folder = Path(settings.DUMP_FOLDER)
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        sums = (folder / SUMS).read_text(encoding="ascii").splitlines()
        files = [DumpFile(name, (folder / name).stat().st_size, sha) for sha, name in map(str.split, sums)]
    except FileNotFoundError:  # or it is just being replaced
        return None
    rows = {table["name"]: table["rows"] for table in about["tables"]}
    return Dump(datetime.fromisoformat(about["made_at"]), rows, tuple(files))


def file_path(name: str) -> Path | None:
    """The path of a file of the dump; None for any other name."""
    dump = latest()
    names = {SUMS, *(file.name for file in dump.files)} if dump else set()
    return Path(settings.DUMP_FOLDER, name) if name in names else None
