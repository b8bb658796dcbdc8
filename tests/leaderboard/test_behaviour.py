"""The page of agent behaviour: outcomes with denominators, labels of candidates, and what is unknown."""

from __future__ import annotations

import math

import pytest

from evaluator.records.sessions import Usage
from runs import archive
from runs.models import Attempt, Result, Task
from tests import factories

BASE = "__global__ void k() { y[0] = x[0]; }"
SHARED = "__global__ void k() { __shared__ float s[4]; y[0] = x[0]; }"
BOTH = "__global__ void k() { __shared__ float s[4]; atomicAdd(y, x[0]); }"


@pytest.fixture
def run(archive_folder, published, entry):
    """One configuration: two candidates with shared memory, one of them with atomics too, one without a change."""
    run = published("passed", "wrong_output", "build_failed", "errored", None, "passed", configuration=entry("One"))
    Task.objects.update(files={"kernel.hip": archive.put(BASE.encode())})
    results = [result for result in run.results.order_by("task__path") if result.published_attempt]
    for result, source in zip(results, (SHARED, BOTH, BASE), strict=False):
        result.candidate_files = {"kernel.hip": archive.put(source.encode())}
        result.save()
    return run


def counts(page) -> dict[str, tuple[int, int]]:
    return {one.label: (one.count, one.of) for one in page.labels}


def test_labels_are_counted_over_the_candidates_submitted(run, page) -> None:
    assert counts(page("/behaviour/")) == {"shared_memory": (2, 3), "atomics": (1, 3), "unchanged": (1, 3)}


def test_shares_are_written_with_their_denominator(run, page) -> None:
    table = page("/behaviour/").tables["labels"]
    cells = table.cells()[0]
    assert cells["shared_memory"].text.replace("\u00a0", " ") == "2 of 3 (67 %)"
    assert cells["shared_memory"].url.startswith("/result/")
    assert (cells["of"].value, cells["unrolling"].text, cells["atomics_median_speedup"].value) == (3, "0", None)
    assert [column.key for column in table.shown_fields][2:] == ["shared_memory", "atomics", "unchanged"]


def test_outcomes_of_a_category_add_up(run, page) -> None:
    found = page("/behaviour/").outcomes
    assert [(one.category, one.results) for one in found] == [("hip2hip", 2), ("torch2hip", 2), ("triton2triton", 2)]
    for one in found:
        assert one.build_failures + one.failed_otherwise + one.passed == one.evaluated <= one.results
    assert [one.build_failures for one in found] == [0, 1, 0]
    assert [one.failed_otherwise for one in found] == [1, 0, 0]


def test_without_a_device_clock_there_is_no_speed(run, page) -> None:
    assert {one.median_speedup for one in page("/behaviour/").labels} == {None}


def test_a_median_is_of_results_that_may_count(run, page) -> None:
    device = factories.make_device_class(slug="h100-sxm", title="H100", architecture="sm_90", is_functional=False)
    run.device_class = device
    run.save()
    both = Result.objects.exclude(candidate_files={}).order_by("task__path")[:2]
    for result, factor in zip(both, (2.0, 8.0), strict=True):
        speed = {"log_speedup": math.log(factor), "cautious_log_speedup": math.log(factor)}
        passed = {"status": "passed", "compiled": True, "correct": True, "reason": "", "message": "", "gate": ""}
        Attempt.objects.filter(published_for=result).update(**speed, **passed)
    medians = {one.label: (one.median_speedup, one.timed) for one in page("/behaviour/").labels}
    assert medians["shared_memory"] == (pytest.approx(4.0), 2)
    assert medians["unchanged"] == (None, 0)
    Attempt.objects.filter(published_for=both[1]).update(is_held=True)
    [shared] = [one for one in page("/behaviour/").labels if one.label == "shared_memory"]
    assert (shared.median_speedup, shared.timed, shared.count) == (pytest.approx(2.0), 1, 2)


def test_drafts_and_withdrawn_runs_are_not_read(run, page, client) -> None:
    run.state = "withdrawn"
    run.save()
    found = page("/behaviour/")
    assert (found.outcomes, found.labels, found.candidates_read) == ((), (), 0)
    assert b"No published results match" in client.get("/behaviour/").content


def test_a_source_that_the_archive_lost_is_in_no_denominator(run, page, client) -> None:
    result = Result.objects.exclude(candidate_files={}).order_by("task__path").first()
    result.candidate_files = {"kernel.hip": factories.sha256("lost")}
    result.save()
    found = page("/behaviour/")
    assert (found.candidates_read, found.candidates_lost) == (2, 1)
    assert counts(found)["shared_memory"] == (1, 2)
    assert b"The sources of 1 more are not in the archive" in client.get("/behaviour/").content


def test_only_the_newest_candidates_are_read_and_the_page_says_so(run, client, monkeypatch) -> None:
    monkeypatch.setattr("leaderboard.queries.behaviour.MOST", 2)
    answer = client.get("/behaviour/")
    assert answer.context["page"].candidates_read == 2
    assert b"Only the newest 2" in answer.content


def test_it_can_be_narrowed_to_a_category(run, page) -> None:
    found = page("/behaviour/?category=torch2hip")
    assert [one.category for one in found.outcomes] == ["torch2hip"]
    assert counts(found) == {"unchanged": (1, 1)}


def test_versions_are_added_up_by_outcome(published, entry, page) -> None:
    run = published(
        "passed", "wrong_output", None, "passed", "passed", "passed", configuration=entry("One", slug="one")
    )
    first, second, missing, *_ = run.results.order_by("task__path")
    factories.make_session(first)
    factories.make_session(second, ended="gave_up", message="It had enough.", usage=Usage())
    factories.make_session(missing)  # not public: counts nowhere
    found = page("/behaviour/").sessions
    assert sum(one.sessions for one in found) == 2
    one = found[0]
    assert (one.versions, one.failed_builds, one.passed, one.failed_otherwise, one.not_evaluated, one.first_passed) == (
        *(2 * one.sessions, one.sessions, one.sessions, 0, 0, 0),
    )
    assert {ending for one in found for ending in one.endings} == {"finished", "gave_up"}
    turns = [cells["turns"].text for cells in page("/behaviour/").tables["sessions"].cells()]
    assert turns
    assert "0" not in turns


def test_a_version_that_passed_its_own_check_and_failed_here_is_counted(published, entry, page) -> None:
    run = published("passed", "wrong_output", "build_failed", "passed", None, "errored", configuration=entry("One"))
    for result in run.results.all():
        session = factories.make_session(result)
        digest = session.iterations.get(status="passed").candidate_digest
        if result.task.category != "triton2triton":  # there the version submitted is another than the one that passed
            Result.objects.filter(pk=result.pk).update(candidate_digest=digest)
    hip, torch, triton = page("/behaviour/").sessions
    assert [(one.then_failed, one.own_check_passed) for one in (hip, torch, triton)] == [(1, 2), (1, 2), (0, 0)]
    failed = run.results.get(published_attempt__status="wrong_output")
    row = page("/behaviour/").tables["appendix"].cells()[0]
    cell = row["then_failed"]
    assert (cell.text.replace("\u00a0", " "), cell.url) == ("1 of 2 (50 %)", f"/result/{failed.pk}/")
    assert [row[name].text.replace("\u00a0", " ") for name in ("finished", "failed_builds")] == [
        *("2 of 2 (100 %)", "2 in 2 sessions"),
    ]
    run.results.filter(published_attempt__status="passed").update(audit="hacked")
    assert [one.then_failed for one in page("/behaviour/").sessions] == [2, 2, 0]


def test_it_says_what_to_do_where_no_session_is_known(db, client) -> None:
    content = client.get("/behaviour/").content
    assert b"start_runs block_tuner" in content
    assert b"approximately 35 occasions across 24 tasks" in content
    assert b"Appendix H" in content
