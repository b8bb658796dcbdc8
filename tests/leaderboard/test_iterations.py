"""Iterations of boards: trajectories, what was rescued and lost, and kinds of edit, against numbers by hand."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from evaluator.records.reasons import Status
from leaderboard.pages.metrics.page import METRICS
from leaderboard.statistics.trajectories import COMPILED
from runs.models import Iteration
from runs.querysets import NO_VERDICT
from tests import factories
from tests.agent_sessions import make_iteration
from tests.leaderboard.timed import h100

pytestmark = pytest.mark.django_db
FAILED, WRONG, PASSED, OURS = Status.BUILD_FAILED, Status.WRONG_OUTPUT, Status.PASSED, Status.ERRORED
BOARD = "/iterations/smoke/all/h100-sxm/"
MASK = "--- a/k.py\n+++ b/k.py\n@@ -1 +1 @@\n-tl.load(p, mask=a)\n+tl.load(p, mask=b)\n"
NOTHING = "--- a/k.py\n+++ b/k.py\n@@ -1 +1 @@\n-x = 1\n+x = 1  # one\n"
# Five sessions: status and speedup of each version.
SESSIONS = (
    ((FAILED, None), (PASSED, 1.5), (PASSED, 3.0)),
    ((PASSED, 2.0), (PASSED, 1.0)),
    ((WRONG, None),),
    ((PASSED, 4.0), (WRONG, None), (PASSED, 5.0)),
    (),
)


def versions(outcomes, diff=NOTHING):
    return tuple(
        make_iteration(number, status, speedup=speedup, diff=diff)
        for number, (status, speedup) in enumerate(outcomes, 1)
    )


@pytest.fixture
def board(db):
    """A public run on six tasks of a device with a clock, of which five have a session; the sixth has none."""
    suite = factories.make_suite([factories.make_task() for _ in range(6)], name="smoke")
    run = factories.make_run(suite=suite, state="published", status="passed", device_class=h100())
    results = run.results.order_by("task__path")
    for result, outcomes in zip(results, SESSIONS, strict=False):
        factories.make_session(result, iterations=versions(outcomes))
    return run


def iterations(page, query=""):
    [entry] = page(BOARD + query).entries
    return entry.iterations


def test_sessions_with_fewer_versions_are_carried_on_from_their_last_one(board, page) -> None:
    # Right after 1: the second and fourth session. After 2: the first and second, and the fourth lost it. After 3: the
    # first and fourth, and the second, which has two versions, is carried on with 1.0.
    found = iterations(page)
    assert [(one.right, one.compiled, one.checked, one.carried, one.unchecked) for one in found] == [
        (2, 3, 4, 0, 1),
        (2, 4, 3, 1, 1),
        (3, 4, 2, 2, 1),
    ]
    assert {one.sessions for one in found} == {5}  # the sixth result has no session
    assert [one.speeds.mean for one in found] == pytest.approx([(2 + 4) / 2, (1.5 + 1) / 2, (3 + 1 + 5) / 3])
    geometric = [(2 * 4) ** (1 / 2), (1.5 * 1) ** (1 / 2), (3 * 1 * 5) ** (1 / 3)]
    assert [one.speeds.geometric_mean for one in found] == pytest.approx(geometric)
    assert [one.speeds.top_share for one in found] == pytest.approx([4 / 6, 1.5 / 2.5, 5 / 9])


def test_best_so_far_keeps_what_a_later_version_lost(board, page) -> None:
    # After 2 the second session counts with 2.0, not 1.0, and the fourth with 4.0, though its second version is wrong.
    found = iterations(page, "?carry=best")
    assert [(one.right, one.compiled) for one in found] == [(2, 3), (3, 4), (3, 4)]
    assert [one.speeds.mean for one in found] == pytest.approx([(2 + 4) / 2, (1.5 + 2 + 4) / 3, (3 + 2 + 5) / 3])
    assert found[2].speeds.geometric_mean == pytest.approx((3 * 2 * 5) ** (1 / 3))


def test_rescued_and_persistent_versions_have_speeds_of_their_own(board, page) -> None:
    # 1 to 2: the first is rescued with 1.5, the second persists with 1.0, the fourth is lost.
    # 2 to 3: the first persists with 3.0, the fourth is rescued with 5.0; nobody else has a third version.
    [entry] = page(BOARD).entries
    assert [(one.pairs, one.rescued, one.persistent, one.lost, one.still_wrong) for one in entry.steps] == [
        (3, 1, 1, 1, 0),
        (2, 1, 1, 0, 0),
    ]
    speeds = [(one.rescued_speeds.mean, one.persistent_speeds.mean) for one in entry.steps]
    assert speeds == [(1.5, 1.0), (5.0, 3.0)]
    rows = [{key: cell.text for key, cell in row.items()} for row in page(BOARD).tables["steps"].cells()]
    assert (rows[0]["step"], rows[0]["rescued"], rows[0]["rescued_mean"]) == (
        "1\u00a0to\u00a02",
        "1\u00a0of\u00a03",
        "1.50×",
    )


def test_a_step_leads_from_the_version_that_was_shown(suite, page) -> None:
    """1 and 2 are made from the task's source, so that neither has a step; 3 is made from 1, and both are right."""
    run = factories.make_run(suite=suite, state="published", status="passed", device_class=h100())
    found = versions(((PASSED, 2.0), (FAILED, None), (PASSED, 3.0)))
    made = tuple(replace(one, parents=shown) for one, shown in zip(found, ((), (), (1, 2)), strict=True))
    factories.make_session(run.results.order_by("task__path").first(), iterations=made)
    [entry] = page(BOARD).entries
    [step] = entry.steps
    assert (step.number, step.pairs, step.persistent, step.rescued, step.lost) == (2, 1, 1, 0, 0)


def test_every_version_knows_its_transition(board) -> None:
    found = Iteration.objects.order_by("session__result__task__path", "number")
    assert [(one.transition, one.is_last, one.is_solved, one.best_speedup) for one in found] == [
        ("", False, False, None),
        ("rescued", False, True, 1.5),
        ("faster", True, True, 3.0),
        ("", False, True, 2.0),
        ("slower", True, True, 2.0),
        ("", True, False, None),
        ("", False, True, 4.0),
        ("lost", False, True, 4.0),
        ("rescued", True, True, 5.0),
    ]


def test_a_fault_of_ours_is_neither_right_nor_a_step(suite, page) -> None:
    run = factories.make_run(suite=suite, state="published", status="passed", device_class=h100())
    outcomes = ((PASSED, 2.0), (OURS, None), (PASSED, 2.0))
    factories.make_session(run.results.first(), iterations=versions(outcomes))
    [entry] = page(BOARD).entries
    assert [(one.right, one.compiled, one.no_verdict) for one in entry.iterations] == [(1, 1, 0), (0, 0, 1), (1, 1, 0)]
    assert [(one.pairs, one.unknown, one.rescued, one.lost) for one in entry.steps] == [(1, 1, 0, 0), (1, 1, 0, 0)]
    assert not set(COMPILED) & set(NO_VERDICT)


def test_without_a_clock_there_is_no_speed_and_a_sentence_why(suite, page, client) -> None:
    run = factories.make_run(suite=suite, state="published", status="passed")
    factories.make_session(run.results.first())  # build_failed, then passed
    address = f"/iterations/smoke/all/{run.device_class.slug}/"
    shown = page(address)
    assert not shown.is_timed
    assert [(one.right, one.speeds.mean) for one in shown.entries[0].iterations] == [(0, None), (1, None)]
    text = client.get(address).content.decode()
    assert "has no device clock: what is checked here is correctness alone" in text
    assert "Mean speedup" not in text
    assert "no version has a share of the device&#x27;s peak" in text


def test_an_empty_board_says_what_to_do_and_an_unknown_one_is_not_found(suite, client) -> None:
    device = h100().slug
    text = client.get(f"/iterations/smoke/hip2hip/{device}/").content.decode()
    assert "once a run with some is published" in text
    for wrong in (
        f"/iterations/nothing/all/{device}/",
        f"/iterations/smoke/other/{device}/",
        "/iterations/smoke/all/none/",
    ):
        assert client.get(wrong).status_code == 404


def test_other_categories_and_protocols_do_not_count(suite, page) -> None:
    run = factories.make_run(suite=suite, state="published", status="passed", device_class=h100())
    factories.make_session(run.results.get(task__path=suite.tasks.filter(category="hip2hip")[0].path))
    assert len(page("/iterations/smoke/hip2hip/h100-sxm/").entries) == 1
    assert page("/iterations/smoke/torch2hip/h100-sxm/").entries == ()
    assert page(f"{BOARD}?protocol=arena-0").entries == ()


def test_kinds_of_edit_are_counted_beside_the_papers(suite, page) -> None:
    run = factories.make_run(suite=suite, state="published", status="passed")
    first, second, *_ = run.results.order_by("task__path")
    factories.make_session(first, iterations=versions(((FAILED, None), (PASSED, None), (PASSED, None)), MASK))
    factories.make_session(second, iterations=versions(((FAILED, None), (FAILED, None)), NOTHING))
    shown = page("/iterations/")
    counts = {one.kind: (one.count, one.of, one.transitions) for one in shown.kinds}
    assert counts["mask"] == (2, 3, {"rescued": 1, "untimed": 1})  # the first version of a session is no pair
    assert counts["none"] == (1, 3, {"still_wrong": 1})
    assert counts["cast"] == (0, 3, {})
    rows = {row["kind"].value: row for row in shown.tables["kinds"].cells()}
    assert rows["mask"]["count"].text == "2\u00a0of\u00a03"  # no percentage of three pairs
    assert rows["mask"]["paper"].text == "101\u00a0of\u00a0352 (29\u00a0%)"
    assert rows["stride"]["paper"].note == "not printed"
    [board] = shown.boards
    assert (board.entries, board.sessions, board.versions) == (1, 2, 5)
    [entry] = page(board.url).kinds
    assert (entry.pairs, {one.kind: one.count for one in entry.kinds if one.count}) == (3, {"mask": 2, "none": 1})


def test_pairs_whose_kinds_are_not_known_are_named_and_not_counted(suite, page, client) -> None:
    run = factories.make_run(suite=suite, state="published", status="passed")
    factories.make_session(run.results.first(), iterations=versions(((FAILED, None), (PASSED, None)), MASK))
    Iteration.objects.update(kinds="")
    shown = page("/iterations/")
    assert (shown.pairs, shown.pairs_not_known, {one.of for one in shown.kinds}) == (1, 1, {0})
    assert "Of 1 pairs, 1 are not counted" in client.get("/iterations/").content.decode()


@pytest.mark.parametrize("state", ["draft", "withdrawn"])
def test_sessions_that_are_not_public_count_nowhere(suite, page, state) -> None:
    run = factories.make_run(suite=suite, state=state, status="passed", device_class=h100())
    factories.make_session(run.results.first())
    assert page("/iterations/").boards == ()
    assert page("/iterations/").pairs == 0
    assert page(BOARD).entries == ()


def test_sessions_of_a_secret_round_count_only_after_the_reveal(suite, page) -> None:
    round = factories.make_round(suite=suite, revealed_at=None)
    run = factories.make_run(suite=suite, state="published", status="passed", device_class=h100(), round=round)
    factories.make_session(run.results.first())
    assert (page("/iterations/").pairs, page(BOARD).entries) == (0, ())
    type(round).objects.update(revealed_at=factories.NOON)
    assert page("/iterations/").pairs == 1


def test_only_the_first_iterations_are_shown_and_the_page_says_so(suite, page, client) -> None:
    run = factories.make_run(suite=suite, state="published", status="passed", device_class=h100())
    factories.make_session(run.results.first(), iterations=versions([(WRONG, None)] * 11 + [(PASSED, 2.0)]))
    [entry] = page(BOARD).entries
    assert (len(entry.iterations), entry.longest, entry.iterations[-1].right) == (10, 12, 0)
    assert "The first 10 iterations. Sessions of 1\u00a0entry have more, up to 12" in client.get(BOARD).content.decode()


def test_headings_lead_to_formulas(board, client) -> None:
    body = client.get(BOARD).content.decode() + client.get("/iterations/").content.decode()
    found = set(re.findall(r'<a class="formula-of" href="/metrics/#([\w-]+)"', body))
    assert found == {"trajectory", "rescued", "edit-kinds"} <= {metric.slug for metric in METRICS}
