"""The page of versions: descriptions, changes, and that the current ones are described."""

from __future__ import annotations

from evaluator import VERSION
from evaluator.mounted.held_out import PROTOCOL as SCRIPTS
from evaluator.records.record import PROTOCOL
from leaderboard.changelog import changelog
from runs.models import Attempt
from tests import factories


def test_todays_protocols_and_evaluator_are_described() -> None:
    described = changelog()
    assert {PROTOCOL, SCRIPTS} <= set(described.protocols)
    assert next(iter(described.evaluators)) == VERSION
    assert all(described.evaluators.values())


def test_the_current_versions_are_listed_before_anything_is_evaluated(db, page) -> None:
    shown = page("/versions/")
    [protocol], [evaluator] = shown.protocols, shown.evaluators
    assert (protocol.name, protocol.is_current, protocol.attempts, protocol.first_at) == (PROTOCOL, True, 0, None)
    assert (evaluator.name, evaluator.published) == (VERSION, 0)


def test_attempts_are_counted_under_their_versions(published, page) -> None:
    published()
    run = published("wrong_output", *["passed"] * 5)
    Attempt.objects.filter(result__run=run).update(evaluator="0.0.9", protocol="aka-scripts-1")
    shown = page("/versions/")
    assert {one.name: (one.attempts, one.published) for one in shown.evaluators} == {VERSION: (6, 6), "0.0.9": (6, 6)}
    assert {one.name for one in shown.protocols} == {PROTOCOL, "aka-scripts-1"}
    [old] = [one for one in shown.evaluators if one.name == "0.0.9"]
    assert "Not described in the changelog" in old.what


def test_what_waits_counts_for_no_version(suite, page) -> None:
    factories.make_run(suite=suite, status="queued")
    assert page("/versions/").protocols[0].attempts == 0


def test_a_suite_says_what_changed_with_each_version(db, page) -> None:
    kept, old, gone, new = (factories.make_task(name=name) for name in ("kept", "moved", "gone", "new"))
    old_again = factories.make_task(name="moved", is_current=False)
    factories.make_suite([kept, old_again, gone], name="s", version=1, is_current=False)
    factories.make_suite([kept, old, new], name="s", version=2)
    second, first = page("/versions/").suites
    assert (second.added, second.changed, second.removed) == (
        ("hip2hip/arena/new",),
        ("hip2hip/arena/moved",),
        ("hip2hip/arena/gone",),
    )
    assert (first.is_first, first.added, first.tasks) == (True, (), 3)


def test_versions_of_two_suites_are_not_compared(db, page) -> None:
    factories.make_suite(name="a")
    factories.make_suite(name="b")
    assert [one.is_first for one in page("/versions/").suites] == [True, True]
