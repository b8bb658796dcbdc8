"""Pairs of neighbouring versions: the browser, the page of each, what stays hidden, and the download."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import import_module

import pytest
from django.apps import apps

from evaluator.bundles.kernelbenchx import corpus
from evaluator.records.reasons import Status
from evaluator.tasks.candidate import Candidate
from evaluator.workbench import diff_of
from leaderboard.http.rate_limits import MAKING, cost_of
from runs import archive
from runs.models import AgentSession, Claim, Iteration, Result
from runs.services.claims import write_claims
from tests import factories
from tests.agent_sessions import make_iteration
from tests.bundles import made
from tests.bundles.accepted import accepted

pytestmark = pytest.mark.django_db
START = "x = tl.load(p, mask=a)\n"
SOURCES = ("x = tl.load(p, mask=a) + 1\n", "x = tl.load(p, mask=b) + 1\n", "x = tl.load(p, mask=b).to(tl.float32) + 1")
OUTCOMES = ((Status.BUILD_FAILED, None), (Status.PASSED, 1.5), (Status.PASSED, 3.0))


@dataclass
class Held:
    result: Result
    pairs: list[int]  # ids of the later versions


@pytest.fixture
def held(suite) -> Held:
    """A public session with three versions of one Python file, whose sources can be rebuilt."""
    run = factories.make_run(suite=suite, state="published", status="passed")
    return session_of(run.results.order_by("task__path").first())


def session_of(result: Result) -> Held:
    task = result.task
    task.editable, task.files = ["k.py"], {"k.py": archive.put(START.encode()), "config.yaml": "0" * 64}
    task.save()
    before, versions = START, []
    for number, (source, (status, speedup)) in enumerate(zip(SOURCES, OUTCOMES, strict=True), 1):
        digest = Candidate({"k.py": source.encode()}, "").digest
        diff = diff_of({"k.py": before}, {"k.py": source})
        versions.append(make_iteration(number, status, speedup=speedup, diff=diff, digest=digest))
        before = source
    session = factories.make_session(result, iterations=tuple(versions))
    pairs = session.iterations.filter(number__gt=1).order_by("number")
    return Held(result, list(pairs.values_list("id", flat=True)))


def test_the_browser_lists_pairs_newest_first(held, page) -> None:
    found = page("/pairs/").pairs
    assert [(one.id, one.step, one.transition, one.kinds) for one in found] == [
        (held.pairs[1], "2 to 3", "faster", ("cast",)),
        (held.pairs[0], "1 to 2", "rescued", ("mask",)),
    ]
    assert [(one.status_before, one.status, one.speedup_before, one.speedup) for one in found] == [
        ("passed", "passed", 1.5, 3.0),
        ("build_failed", "passed", None, 1.5),
    ]
    assert {one.task for one in found} == {held.result.task.path}


def test_a_pair_begins_with_the_version_that_its_author_was_shown(suite, page, client) -> None:
    """As of a population: 1 and 2 are made from the task's source, 3 from 1, which is right; 2 is wrong."""
    result = factories.make_run(suite=suite, state="published", status="passed").results.order_by("task__path").first()
    held = session_of(result)
    held.result.session.delete()
    outcomes, parents = (Status.PASSED, Status.BUILD_FAILED, Status.PASSED), ((), (), (1, 2))
    speeds, before = (2.0, None, 3.0), (START, START, SOURCES[0])
    versions = [
        make_iteration(
            number,
            outcomes[number - 1],
            speedup=speeds[number - 1],
            diff=diff_of({"k.py": before[number - 1]}, {"k.py": source}),
            digest=Candidate({"k.py": source.encode()}, "").digest,
            parents=parents[number - 1],
        )
        for number, source in enumerate(SOURCES, 1)
    ]
    session = factories.make_session(result, iterations=tuple(versions))
    columns = ("number", "previous", "previous_status", "transition")
    assert list(session.iterations.order_by("number").values_list(*columns)) == [
        (1, None, "", ""),
        (2, None, "", ""),
        (3, 1, "passed", "faster"),
    ]
    [pair] = page("/pairs/").pairs
    assert (pair.step, pair.transition, pair.speedup_before, pair.speedup) == ("1 to 3", "faster", 2.0, 3.0)
    shown = page(pair.url)
    assert (shown.before.name, shown.after.name) == ("version 1", "version 3")
    assert [one.text for side in (shown.before, shown.after) for one in side.files] == [SOURCES[0], SOURCES[2]]
    assert shown.changes[0].caption == "compared with version 1"
    [line] = download(client)
    assert (line["transition"], line["before_code"], line["after_code"]) == (
        "round_1_to_round_3",
        SOURCES[0],
        SOURCES[2],
    )


@pytest.mark.parametrize(
    ("query", "steps"),
    [
        ("transition=rescued", ["1 to 2"]),
        ("transition=lost", []),
        ("edit=cast", ["2 to 3"]),
        ("edit=none", []),
        ("error=build_failed", ["1 to 2"]),
        ("error=crashed", []),
        ("task=KERNEL", ["2 to 3", "1 to 2"]),
        ("task=softmax", []),
        ("configuration={slug}", ["2 to 3", "1 to 2"]),
        ("configuration=other", []),
        ("transition=faster&edit=mask", []),
        ("page=2", []),
    ],
)
def test_filters_leave_the_pairs_that_match(held, page, client, query, steps) -> None:
    address = f"/pairs/?{query.format(slug=held.result.run.configuration.slug)}"
    assert [one.step for one in page(address).pairs] == steps
    lines = client.get(f"/pairs.jsonl?{query.format(slug=held.result.run.configuration.slug)}")
    if "page" not in query:
        found = b"".join(lines.streaming_content).decode() if lines.streaming else lines.content.decode()
        assert [one["transition"] for one in map(json.loads, found.splitlines())] == [
            f"round_{step[0]}_to_round_{step[-1]}" for step in reversed(steps)
        ]


def test_the_page_turns_over_after_fifty(held, page) -> None:
    [session] = AgentSession.objects.all()
    same = {"status": "passed", "previous_status": "passed", "transition": "same"}
    numbers = range(4, 56)
    Iteration.objects.bulk_create(
        Iteration(session=session, number=one, previous=one - 1, at_s=1, seconds=1, added=0, removed=0, **same)
        for one in numbers
    )
    first, second = page("/pairs/"), page("/pairs/?page=2")
    assert (len(first.pairs), first.next, first.previous) == (50, "?page=2", None)
    assert (len(second.pairs), second.next, second.previous) == (4, None, "?")


@pytest.mark.parametrize("value", ["transition=better", "edit=loop", "error=nothing", "origin=here"])
def test_data_refuses_what_no_filter_knows(held, client, value) -> None:
    assert client.get(f"/api/v1/pairs/?{value}").status_code == 400
    if not value.startswith("origin"):
        assert client.get(f"/pairs.jsonl?{value}").status_code == 400
    assert client.get(f"/pairs/?{value}").status_code == 200


def test_a_pair_shows_both_versions_what_changed_and_why_it_failed(held, page, client) -> None:
    shown = page(f"/pairs/version/{held.pairs[0]}/")
    assert [one.text for side in (shown.before, shown.after) for one in side.files] == list(SOURCES[:2])
    assert (shown.before.status, shown.before.message) == ("build_failed", "It does not compile.")
    assert "-x = tl.load(p, mask=a) + 1\n+x = tl.load(p, mask=b) + 1" in shown.unified_diff
    text = client.get(f"/pairs/version/{held.pairs[0]}/").content.decode()
    assert "Rescued: wrong, then right. Kinds of edit: Mask." in text
    assert f'href="/result/{held.result.pk}/session/"' in text
    assert page(f"/pairs/version/{held.pairs[1]}/").after.files[0].text == SOURCES[2]


def test_a_version_that_cannot_be_rebuilt_has_no_source_and_a_sentence_why(held, page) -> None:
    held.result.task.files["k.py"] = archive.put(b"another\n")
    held.result.task.save()
    shown = page(f"/pairs/version/{held.pairs[0]}/")
    assert (shown.before.files, shown.after.files) == (None, None)
    assert "cannot be rebuilt exactly" in shown.after.no_files_because
    assert shown.changes  # the diff is as recorded


def test_a_lost_session_still_has_its_outcome(held, page) -> None:
    AgentSession.objects.update(digest="f" * 64)
    shown = page(f"/pairs/version/{held.pairs[0]}/")
    assert (shown.unified_diff, shown.changes, shown.pair.transition) == (None, (), "rescued")
    assert shown.no_changes_because == "The session's record is not in the archive."


def test_the_first_version_of_a_session_is_no_pair(held, client) -> None:
    first = Iteration.objects.get(number=1)
    assert client.get(f"/pairs/version/{first.pk}/").status_code == 404
    assert client.get("/pairs/version/999999/").status_code == 404


@pytest.mark.parametrize("hidden", ["draft", "withdrawn", "secret round", "no published attempt"])
def test_what_the_public_may_not_see_is_on_no_page_and_in_no_download(suite, client, page, hidden) -> None:
    values = {"state": hidden} if hidden in ("draft", "withdrawn") else {"state": "published"}
    if hidden == "secret round":
        values["round"] = factories.make_round(suite=suite, revealed_at=None)
    status = "passed" if hidden != "no published attempt" else None
    run = factories.make_run(suite=suite, status=status, **values)
    found = session_of(run.results.order_by("task__path").first())
    assert page("/pairs/").pairs == ()
    assert [client.get(f"/pairs/version/{pair}/").status_code for pair in found.pairs] == [404, 404]
    assert [client.get(f"/api/v1/pairs/version/{pair}/").status_code for pair in found.pairs] == [404, 404]
    assert download(client) == []


def test_messages_are_shown_without_what_the_session_hides(held, page) -> None:
    message = Iteration.objects.get(number=1).message
    assert page(f"/pairs/version/{held.pairs[0]}/").before.message == message  # the column, which holds no secret


def test_lines_have_the_fields_of_the_corpus_first(held, client) -> None:
    first, second = download(client)
    assert list(first)[:15] == [
        *("task_id", "transition", "from_round", "to_round", "kind", "before", "after", "before_code_present"),
        *("after_code_present", "before_code", "after_code", "unified_diff", "diff_stats", "llm_fields", "notes"),
    ]
    assert first["kind"] == "exe_fail_to_pass,call_fail_to_pass,perf_ok_newly"
    assert (second["kind"], second["kinds_of_edit"], second["outcome"]) == ("speedup_increase", ["cast"], "faster")
    assert (first["before"]["call_ok"], first["before"]["speedup"], first["before"]["runtime_ms"]) == (
        False,
        None,
        None,
    )
    assert (first["before_code"], first["after_code"]) == SOURCES[:2]
    assert first["after_files"] == {"k.py": SOURCES[1]}
    assert (first["diff_stats"]["lines_a"], first["result"]) == (1, held.result.pk)


def test_what_is_downloaded_is_read_as_a_corpus(held, client) -> None:
    lines = "".join(json.dumps(one) + "\n" for one in download(client))
    bundle = accepted({"pairs.jsonl": lines.encode()})
    assert bundle.format == corpus.NAME
    found = {one.attempt: (one.status, one.claimed_speedup, one.follows) for one in bundle.claims}
    assert found == {
        "round_1": (Status.BUILD_FAILED, None, ""),
        "round_2": (Status.PASSED, 1.5, "round_1"),
        "round_3": (Status.PASSED, 3.0, "round_2"),
    }


def download(client):
    response = client.get("/pairs.jsonl")
    assert response["Content-Disposition"] == 'attachment; filename="pairs.jsonl"'
    return [json.loads(line) for line in response.getvalue().decode().splitlines()]


@pytest.fixture
def imported(db):
    """Make a public corpus of three rounds of one task, of which the second is right."""

    def make(licence: str = "MIT"):
        right, wrong = (
            {"speedup": 1.2},
            {"exe_ok": False, "perf_ok": False, "error": "/home/sam/secret/k.py: bad shape"},
        )
        lines = [
            made.corpus_line(wrong, right, kind="exe_fail_to_pass", before_code=START, after_code=SOURCES[1]),
            made.corpus_line(
                right,
                wrong,
                kind="regression_exe",
                transition="round_1_to_round_2",
                from_round="round_1",
                to_round="round_2",
                before_code=SOURCES[1],
                after_code=SOURCES[1] + "# no more\n",
            ),
        ]
        parsed = accepted({"all.jsonl": "".join(json.dumps(line) + "\n" for line in lines).encode()})
        submission = factories.make_submission(
            format=corpus.NAME,
            state="accepted",
            claim_count=3,
            is_public=True,
            declared={"agent": "GEAK"},
            licence=licence,
        )
        write_claims(submission, parsed)
        return submission

    return make


def test_a_corpus_has_pairs_of_its_own(imported, page) -> None:
    imported()
    found = page("/pairs/?origin=corpora").pairs
    assert [(one.step, one.transition, one.kinds, one.name) for one in found] == [
        ("round 0 to round 1", "rescued", ("mask",), "GEAK"),
        ("round 1 to round 2", "lost", ("none",), "GEAK"),
    ]
    assert [one.step for one in page("/pairs/?origin=corpora&edit=mask&task=relu").pairs] == ["round 0 to round 1"]
    assert page("/pairs/?origin=corpora&submission=999").pairs == ()
    assert page("/pairs/").pairs == ()
    counts = {one.kind: one.count for one in page("/iterations/").imported_kinds if one.count}
    assert counts == {"mask": 1, "none": 1}


def test_a_pair_of_a_corpus_is_shown_as_claimed_and_without_private_paths(imported, page, client) -> None:
    imported()
    address = page("/pairs/?origin=corpora").pairs[0].url
    shown = page(address)
    assert [side.files[0].text for side in (shown.before, shown.after)] == [START, SOURCES[1]]
    assert (shown.after.speedup, shown.unified_diff) == (1.2, None)
    text = client.get(address).content.decode()
    assert "as claimed, not measured here" in text
    assert "bad shape" in text
    assert "/home/sam" not in text


def test_without_a_licence_a_corpus_shows_outcomes_and_no_source(imported, page, client) -> None:
    imported(licence="")
    address = page("/pairs/?origin=corpora").pairs[0].url
    shown = page(address)
    assert (shown.before.files, shown.after.files, shown.changes) == (None, None, ())
    assert shown.no_changes_because == "The licence of this bundle is not stated, so its sources are not shown."
    assert "tl.load" not in client.get(address).content.decode() + client.get(f"/api/v1{address}").content.decode()


def test_a_corpus_that_is_not_public_is_nowhere(imported, page, client) -> None:
    submission = imported()
    address = page("/pairs/?origin=corpora").pairs[0].url
    submission.is_public = False
    submission.save()
    assert client.get(address).status_code == 404
    assert page("/pairs/?origin=corpora").pairs == ()


def test_samples_of_a_task_are_no_pairs(db, page) -> None:
    factories.make_claims("passed", "wrong_output", is_public=True)
    assert page("/pairs/?origin=corpora").pairs == ()
    assert set(Claim.objects.values_list("transition", flat=True)) == {""}


def test_reading_a_whole_session_costs_as_much_as_its_own_page(db) -> None:
    assert cost_of("/pairs/version/3/", MAKING) == cost_of("/result/3/session/", MAKING) == 15
    assert cost_of("/pairs.jsonl") == cost_of("/run/3/records.zip") == 20


def test_the_migration_says_of_old_rows_what_is_stored_with_new_ones(held, imported) -> None:
    imported()
    migration = import_module("runs.migrations.0017_kinds_of_edit")
    for model, columns, fill in (
        (Iteration, migration.VERSION, migration.of_sessions),
        (Claim, migration.CLAIM, migration.of_claims),
    ):
        stored = list(model.objects.order_by("pk").values_list("pk", *columns))
        empty = {name: model._meta.get_field(name).get_default() for name in columns}
        model.objects.update(**empty)
        fill(apps, None)
        assert list(model.objects.order_by("pk").values_list("pk", *columns)) == stored


def test_the_migration_leaves_kinds_unknown_where_the_archive_lacks_the_session(held) -> None:
    AgentSession.objects.update(digest="f" * 64)
    Iteration.objects.update(kinds="", transition="")
    import_module("runs.migrations.0017_kinds_of_edit").of_sessions(apps, None)
    assert list(Iteration.objects.order_by("number").values_list("transition", "kinds")) == [
        ("", ""),
        ("rescued", ""),
        ("faster", ""),
    ]
