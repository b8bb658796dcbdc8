"""Whether to trust a row, in the same words everywhere, and what else a row of a board says of its entry."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from math import log

import pytest
from django.contrib.auth.models import User

from evaluator.records.sessions import Usage
from leaderboard.words import TRUST
from runs.models import AgentSession, Attempt, Result
from runs.trust import DOUBTS, OF_RUNS, Trust, doubt, trust_text
from tests import factories
from tests.leaderboard.arrays import right
from tests.leaderboard.test_api_rows import rows
from tests.leaderboard.timed import TASKS

SMOKE, TIMED = "/board/smoke/all/cpu-x86_64/", "/board/timed/hip2hip/h100-sxm/"
IMPORTED = {"origin": "imported", "bundle_digest": "a" * 64}
RUNS = {  # the words for a run, and what makes it one
    "claimed": IMPORTED,
    "run here": {},
    "reproduced 5 of 6": {**IMPORTED, "trust": "reproduced", "reproduced_tasks": 5, "verified_tasks": 6},
}


def in_csv(client, board: str) -> list[dict[str, str]]:
    text = client.get(f"/api/v1{board}entries.csv").getvalue().decode()
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("word", RUNS)
def test_a_run_has_one_word_on_every_surface(published, client, page, word) -> None:
    run = published(**RUNS[word])
    submission = factories.make_submission(run=run)
    client.force_login(User.objects.create_superuser("maintainer"))
    value = next(one.value for one in OF_RUNS if word.startswith(one.label))
    [line] = page(SMOKE).tables["entries"].cells()
    [listed] = page("/runs/").tables["runs"].cells()
    said = {"board": line["trust"].text, "runs": listed["trust"].text}
    for address in (f"/run/{run.pk}/", f"/submission/{submission.pk}/"):
        said[address] = dict(fact[:2] for fact in page(address).facts)["Trust"]
    assert set(said.values()) == {word}
    in_data = {
        "board": client.get(f"/api/v1{SMOKE}").json()["entries"][0]["trust"],
        "csv": in_csv(client, SMOKE)[0]["trust"],
        "rows": rows(client, "runs", f"trust={value}")[0]["trust"],
        "run": client.get(f"/api/v1/run/{run.pk}/").json()["run"]["trust"],
    }
    assert set(in_data.values()) == {value}
    assert word in client.get("/admin/runs/run/").content.decode()
    assert len(page(f"{SMOKE}?trust={value}").entries) == 1


def test_every_word_has_a_meaning_and_no_other_is_used(client, db) -> None:
    assert set(TRUST) == set(Trust) == {*OF_RUNS, *DOUBTS}
    assert [word.label for word in TRUST.values()] == [one.label for one in Trust]
    body = client.get("/metrics/").content.decode()
    for one in Trust:
        assert f">{one.label}</span>" in body


@pytest.mark.parametrize(
    ("audit", "is_held", "word"),
    [
        ("none", None, None),
        ("clean", False, None),
        ("hacked", True, "hacked"),
        ("suspect", True, "suspect"),
        ("none", True, "held"),
    ],
)
def test_the_worst_doubt_about_a_result_is_named(audit, is_held, word) -> None:
    assert doubt(audit, is_held) == word


def test_an_entry_has_the_word_of_its_least_trusted_run(published, entry, page) -> None:
    configuration = entry("Twice")
    for repeat, digest in enumerate("ab"):
        published(
            configuration=configuration, repeat=repeat, **RUNS["reproduced 5 of 6"] | {"bundle_digest": digest * 64}
        )
    [found] = page(SMOKE).entries
    assert trust_text(found.trust, found.reproduced_tasks, found.verified_tasks) == "reproduced 10 of 12"
    published(configuration=configuration, repeat=2, origin="imported", bundle_digest="c" * 64)
    [found] = page(SMOKE).entries
    assert (found.trust, found.reproduced_tasks) == ("claimed", None)


def test_a_hacked_result_stands_in_its_row_and_counts_as_not_correct(timed, client, page) -> None:
    run = timed("Clever", [log(2.0)] * TASKS)
    hacked, suspect, *_ = run.results.order_by("task__path")
    run.results.filter(pk=hacked.pk).update(audit="hacked")
    run.results.filter(pk=suspect.pk).update(audit="suspect")
    timed("Honest", [log(1.5)] * TASKS)
    shown = page(TIMED)
    found = next(one for one in shown.entries if one.agent == "Clever")
    assert (found.rank, found.correctness.count, found.judged, found.outcomes.fail) == (1, 11, 12, 1)
    assert found.usable_speedup.value == pytest.approx(2 ** (11 / 12))
    [cell] = [line["trust"] for line in shown.tables["entries"].cells() if line["name"].text == "Clever"]
    assert (cell.text, cell.note, cell.tone) == ("1 hacked", "1 suspect, run here", "bad")
    assert cell.url == f"/result/{hacked.pk}/"
    [line] = [line for line in in_csv(client, TIMED) if line["agent"] == "Clever"]
    assert [line[one] for one in ("trust", "hacked", "suspect", "held")] == ["run_here", "1", "1", "0"]
    first, second, *_ = (row[found.configuration] for row in shown.tables["results"].cells())
    assert (first.text, first.note) == ("hacked", "")
    assert (second.text, second.note) == ("passed", "2.00×, suspect")
    [line] = [line for line in page("/runs/").runs if line.id == run.pk]
    assert line.progress.passed == 11
    task = page(f"/task/{hacked.task.path}/")
    assert [cell["status"].text for cell in task.tables["results"].cells()].count("hacked") == 1
    assert next(one for one in task.configurations if one.name == "Clever").correct == 0
    [cell] = [row["status"] for row in page(f"/run/{run.pk}/").tables["results"].cells() if row["status"].tone == "bad"]
    assert (cell.text, cell.value, cell.note) == ("hacked", "passed", "passed")
    [standing] = page(f"/configuration/{found.configuration}/").standings
    assert (standing.tallies["all"].correct, standing.tallies["all"].may_rank) == (11, 12)
    assert hacked.pk not in {result.pk for result in Result.objects.leaders(2)}


def test_a_held_result_stands_in_the_row_of_an_entry_that_it_keeps_from_ranking(timed, page) -> None:
    run = timed("Odd", [log(2.0)] * TASKS)
    Attempt.objects.filter(pk=run.results.first().published_attempt_id).update(is_held=True)
    [line] = page(TIMED).tables["entries"].cells()
    assert (line["rank"].value, line["trust"].text, line["trust"].note) == (None, "1 held", "run here")


def test_a_row_says_model_date_window_and_cost(timed, client, page) -> None:
    model = factories.make_model_version(name="M", identifier="m-1-2026")
    configuration = factories.make_configuration(model=model)
    run = timed("Paid", [0.5] * TASKS, configuration=configuration)
    first, *others = run.results.order_by("pk")
    factories.make_session(first, usage=Usage())
    for result in others:
        factories.make_session(result)
    Attempt.objects.filter(result=first).update(ended_at=factories.NOON + timedelta(hours=30))
    [line] = page(TIMED).tables["entries"].cells()
    assert (line["published_at"].text, line["trust"].url) == ("1\u00a0Nov\u00a02026", f"/run/{run.pk}/#facts")
    assert (line["cost_usd"].text, line["cost_usd"].note) == ("0.0050\u00a0USD", "11 of 12 report it")
    [line] = in_csv(client, TIMED)
    assert (line["model"], line["model_identifier"]) == ("M", "m-1-2026")
    assert (line["evaluated_from"], line["evaluated_until"]) == (
        "2026-11-01T12:00:00+00:00",
        "2026-11-02T18:00:00+00:00",
    )
    [found] = client.get(f"/api/v1{TIMED}").json()["entries"]
    assert found["evaluated_until"] == "2026-11-02T18:00:00Z"
    assert (found["cost_usd"], found["cost_usd_of"], found["sessions"]) == (pytest.approx(0.005), 11, 12)
    assert "1 Nov 2026, 12:00 UTC to 2 Nov 2026, 18:00 UTC" in dict(one[:2] for one in page(f"/run/{run.pk}/").facts)[
        "Evaluation window"
    ].replace("\u00a0", " ")


def test_what_a_session_in_a_secret_round_cost_is_not_shown(timed, page) -> None:
    run = timed("Secret", [0.5] * TASKS, round=factories.make_round(revealed_at=None))
    for result in run.results.all():
        factories.make_session(result)
    [found] = page(TIMED).entries
    assert (found.cost_usd, found.sessions) == (None, 0)


def test_costs_are_sorted_from_the_smallest_and_dates_from_the_newest_without_a_number_last(timed, page) -> None:
    costs = {"Dear": 2.0, "Cheap": 0.1, "Unknown": None}
    for day, (name, cost) in enumerate(costs.items()):
        run = timed(name, [0.5] * TASKS, published_at=factories.NOON + timedelta(days=day))
        for result in run.results.all() if cost else ():
            factories.make_session(result)
        AgentSession.objects.filter(result__run=run).update(cost_usd=cost)
    assert [one.agent for one in page(f"{TIMED}?sort=cost_usd").entries] == ["Cheap", "Dear", "Unknown"]
    assert [one.agent for one in page(f"{TIMED}?sort=published_at").entries] == ["Unknown", "Cheap", "Dear"]
    heading = next(one for one in page(f"{TIMED}?sort=cost_usd").tables["entries"].fields if one.key == "cost_usd")
    assert (heading.sorted, heading.on_page) == ("ascending", True)


def test_tasks_show_what_the_best_kernel_of_an_entry_reaches(timed, client, page) -> None:
    timed("Slow", [log(1.5)] * TASKS)
    fast = timed("Fast", [log(3.0), None, *[log(1.1)] * (TASKS - 2)])
    timed("Expert", [log(9.0)] * TASKS, role="reference_line")
    first, second, *_ = page(f"{TIMED}?agent=Slow").tables["results"].cells()
    assert (first["best"].text, first["best"].note) == ("3.00×", "Fast")
    assert first["best"].url == f"/result/{fast.results.order_by('task__path').first().pk}/"
    assert (second["best"].text, second["best"].note) == ("1.50×", "Slow")
    [task, *_] = page("/tasks/").tasks
    assert task.best == {"h100-sxm": pytest.approx(3.0)}
    assert "Best kernel on H100" in client.get("/tasks/").content.decode()
    [(text, _)] = page(f"/task/{task.task}/").fastest
    assert text == "3.000× on H100, Fast"


def test_a_task_that_is_too_short_on_a_device_counts_for_correctness_only(timed, page) -> None:
    timed("One", [*[0.5] * (TASKS - 1), right(None)])
    *_, last = page(TIMED).tables["results"].cells()
    assert (last["best"].value, last["best"].note) == (None, "counts for correctness only")
    assert "ranked" not in " ".join(cell.text + cell.note for cell in last.values())
