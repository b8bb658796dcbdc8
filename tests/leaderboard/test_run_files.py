"""A run's public files as one ZIP: everything public, nothing else, and 304 until that changes."""

from __future__ import annotations

import csv
import io
import zipfile

import pytest

from evaluator import codec
from runs import archive
from runs.models import Revision, UnseenEvaluation
from runs.services.publishing import withdraw_run
from tests import factories
from tests.records import make_record

pytestmark = pytest.mark.usefixtures("archive_folder")


@pytest.fixture
def run(suite):
    """A public run in a round, whose first answer has a record, a candidate and an unseen record; no other has any."""
    made = factories.make_run(suite=suite, state="published", round=factories.make_round(suite=suite))
    result = made.results.order_by("task__path").first()
    result.candidate_files = {"src/kernel.hip": archive.put(b"better")}
    result.save()
    attempt = factories.make_attempt(result=result, status="passed", record_digest=put(make_record()))
    factories.make_unseen(factories.publish(attempt), ("scale_up", True, True))
    UnseenEvaluation.objects.update(record_digest=archive.put(b"unseen"))
    return made


def put(record) -> str:
    return archive.put(codec.dumps(record).encode())


def files(client, run) -> dict[str, bytes]:
    response = client.get(f"/run/{run.pk}/records.zip")
    assert response.status_code == 200
    content = b"".join(response.streaming_content) if response.streaming else response.content
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        assert packed.testzip() is None
        return {name: packed.read(name) for name in packed.namelist()}


def test_records_and_candidates_of_public_results_are_in_it_byte_for_byte(run, client) -> None:
    attempt = run.results.get(published_attempt__isnull=False).published_attempt
    path = attempt.result.task.path
    found = files(client, run)
    assert found.pop(f"{path}/record.json") == archive.get(attempt.record_digest)
    assert found.pop(f"{path}/candidate/src/kernel.hip") == b"better"
    assert found.pop(f"{path}/unseen.json") == b"unseen"
    assert [line["is_here"] for line in read_index(found)] == ["True"] * 3
    assert set(found) == {"index.csv"}


def test_unseen_records_wait_for_the_reveal(run, client) -> None:
    run.round.revealed_at = None
    run.round.save()
    found = files(client, run)
    assert not [name for name in found if "unseen" in name]
    assert b"unseen" not in found["index.csv"]


def test_an_attempt_that_is_not_published_is_not_in_it(run, client) -> None:
    result = run.results.get(published_attempt__isnull=False)
    newer = factories.make_attempt(result=result, status="wrong_output", record_digest=put(make_record(log="newer")))
    assert newer.record_digest not in files(client, run)["index.csv"].decode()


def test_a_run_that_is_not_public_has_no_files(run, client) -> None:
    assert client.get(f"/run/{factories.make_run(suite=run.suite).pk}/records.zip").status_code == 404
    assert f"/run/{run.pk}/records.zip" in client.get(f"/run/{run.pk}/").content.decode()
    withdraw_run(run=run, actor="test", reason="planted")
    assert client.get(f"/run/{run.pk}/records.zip").status_code == 404
    assert "records.zip" not in client.get(f"/run/{run.pk}/").content.decode()


def test_asked_again_it_is_sent_again_only_once_something_public_changed(run, client) -> None:
    Revision.objects.create(id=1, number=1)  # committed with the first change there was
    address = f"/run/{run.pk}/records.zip"
    etag = client.get(address)["ETag"]
    assert client.get(address, HTTP_IF_NONE_MATCH=etag).status_code == 304
    withdraw_run(run=run, actor="test", reason="planted")
    assert client.get(address, HTTP_IF_NONE_MATCH=etag).status_code == 404


def test_what_the_archive_lost_is_named_and_no_path_leads_out(run, client) -> None:
    result = run.results.get(published_attempt__isnull=False)
    result.candidate_files = {"lost.hip": "0" * 64, "../../out.hip": archive.put(b"out")}
    result.save()
    found = files(client, run)
    assert not [name for name in found if name.endswith(".hip")]
    lines = {line["name"].rpartition("/")[2]: line["is_here"] for line in read_index(found)}
    assert (lines["lost.hip"], lines["out.hip"], lines["record.json"]) == ("False", "False", "True")


def read_index(found: dict[str, bytes]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(found["index.csv"].decode())))
