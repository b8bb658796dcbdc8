"""The dump: every public row in both formats, the meaning of its columns, and valid checksums."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json

import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from leaderboard.downloads import dump
from leaderboard.downloads.rows import csv_chunks
from leaderboard.pages.board.fields import paper_fields, rank_fields
from leaderboard.queries import collection
from leaderboard.queries.public_rows import COLLECTIONS
from runs import disk
from runs.models import Attempt
from tests import factories

TABLES = {"ranks", *(one.name for one in COLLECTIONS)}


@pytest.fixture
def site(published, suite, entry):
    round = factories.make_round(suite=suite)
    run = published("wrong_output", *["passed"] * 5, configuration=entry("=One"), round=round)
    half = published("errored", *["passed"] * 5, configuration=entry("Half"))
    secret = published(configuration=entry("Secret"), round=factories.make_round(suite=suite, revealed_at=None))
    factories.make_run(suite=suite, status="passed")
    factories.make_run(suite=suite, status="passed", state="withdrawn")
    for attempt in Attempt.objects.filter(result__run__in=(run, secret)):
        factories.make_unseen(attempt, ("edge", True, True))
        factories.make_session(attempt.result)
    factories.make_claims("passed", "crashed", is_public=True)
    return run, half, secret


@pytest.fixture
def folder(site, tmp_path, settings, monkeypatch):
    monkeypatch.setattr(collection, "AT_ONCE", 4)
    settings.DUMP_FOLDER = tmp_path / "dump"
    call_command("dump_results", out=settings.DUMP_FOLDER)
    return settings.DUMP_FOLDER


def csv_rows(folder, name: str) -> list[dict[str, str]]:
    with gzip.open(folder / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_both_formats_hold_the_same_rows(folder) -> None:
    about = {table["name"]: table for table in json.loads((folder / "schema.json").read_text())["tables"]}
    assert set(about) == TABLES
    for name, table in about.items():
        parquet, rows = pq.read_table(folder / f"{name}.parquet"), csv_rows(folder, name)
        assert parquet.num_rows == len(rows) == table["rows"] > 0, name
        names = [column["name"] for column in table["columns"]]
        assert parquet.column_names == list(rows[0]) == names
        for column in names:
            for value, text in zip(parquet[column].to_pylist(), (row[column] for row in rows), strict=True):
                assert (value is None) == (text == "") or value == "", (name, column)


def test_the_csv_is_that_of_the_api_byte_for_byte(folder) -> None:
    for one in COLLECTIONS:
        dumped = gzip.decompress((folder / f"{one.name}.csv.gz").read_bytes()).decode()
        assert dumped == "".join(csv_chunks(one, one.public())), one.name


def test_only_what_is_public_is_in_it(folder, site) -> None:
    run, _, secret = site
    public = {one.pk for one in site}
    for name, column in {"runs": "id", "results": "run", "measurements": "run"}.items():
        assert set(pq.read_table(folder / f"{name}.parquet")[column].to_pylist()) == public, name
    for name in ("unseen", "sessions", "iterations"):
        assert set(pq.read_table(folder / f"{name}.parquet")["run"].to_pylist()) == {run.pk}
    for path in folder.glob("*.gz"):
        assert secret.round.secret.encode() not in gzip.decompress(path.read_bytes())


def test_ranks_are_those_of_the_board(folder, client) -> None:
    board = client.get("/api/v1/board/smoke/all/cpu-x86_64/").json()["entries"]
    rows = [row for row in csv_rows(folder, "ranks") if row["category"] == "all"]
    assert {row["configuration"]: row["rank"] for row in rows} == {
        one["configuration"]: str(one["rank"] or "") for one in board
    }
    assert [row["not_ranked_because"] for row in rows if not row["rank"]] != []


def test_every_column_of_a_board_is_in_the_dump_with_its_meaning(folder) -> None:
    [header, *_] = gzip.decompress((folder / "ranks.csv.gz").read_bytes()).decode().splitlines()
    wanted = [*rank_fields(has_speed=True, has_cost=True), *paper_fields((), has_cost=True)]
    assert {field.key for field in wanted} <= set(header.split(","))
    assert [field.key for field in wanted if not field.about] == []


def test_names_like_formulas_are_defused_in_csv_alone(folder) -> None:
    assert "'=One" in {row["agent"] for row in csv_rows(folder, "runs")}
    assert "=One" in pq.read_table(folder / "runs.parquet")["agent"].to_pylist()


def test_checksums_hold_and_cover_every_file(folder) -> None:
    sums = dict(reversed(line.split()) for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {path.name for path in folder.iterdir()} - {"SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_the_data_page_links_every_file_and_nothing_else_is_served(folder, client) -> None:
    page = client.get("/data/")
    for path in folder.iterdir():
        assert f'href="/dump/{path.name}"'.encode() in page.content
        assert b"".join(client.get(f"/dump/{path.name}")) == path.read_bytes()
    assert client.get("/api/v1/data/").json()["dump"]["rows"]["runs"] == 3
    (folder / "more").write_text("not of the dump")
    for name in ("more", "..%2Fdb.sqlite3", "nothing"):
        assert client.get(f"/dump/{name}").status_code == 404


def test_without_a_dump_the_page_says_how_one_is_made(db, client, settings, tmp_path) -> None:
    settings.DUMP_FOLDER = tmp_path / "none"
    assert b"manage.py dump_results" in client.get("/data/").content


def test_a_dump_that_fails_leaves_the_one_before(folder, monkeypatch) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(*given: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(dump, "_write_sums", full)
    with pytest.raises(CommandError, match="no space left"):
        call_command("dump_results", out=folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert list(folder.parent.iterdir()) == [folder]


def test_a_folder_of_something_else_is_left_alone(site, tmp_path) -> None:
    (tmp_path / "thesis.tex").write_text("years")
    for out in (tmp_path, tmp_path / "thesis.tex"):
        with pytest.raises(CommandError, match="contains something other"):
            call_command("dump_results", out=out)
    assert (tmp_path / "thesis.tex").read_text() == "years"


def test_it_is_not_written_beside_the_old_one_without_room(db, settings, tmp_path, monkeypatch) -> None:
    settings.ARCHIVE_FOLDER, size = tmp_path, 1 << 20
    old = {tmp_path / "dump" / name for name in ("results.parquet", "SHA256SUMS")}
    (tmp_path / "dump").mkdir()
    for path in old:
        path.write_bytes(bytes(size))
    monkeypatch.setattr(disk, "free_bytes", lambda: disk.reserve_bytes() + 2 * size - 1)
    with pytest.raises(CommandError, match=r"dump is unchanged: .* 64 MB required"):
        call_command("dump_results", out=tmp_path / "dump")
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == old
