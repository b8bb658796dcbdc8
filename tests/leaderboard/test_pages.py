"""The other pages: home, list of tasks, runs, queue, published tables, metrics, data."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest

from leaderboard.pages.board.query import BoardView
from leaderboard.pages.home.boards import suite_boards
from runs.models import AuditEntry
from tests import factories
from tests.leaderboard.timed import noisy
from tests.site_fixtures import clear_caches


def test_home_lists_boards_and_what_is_new(published, suite, page) -> None:
    run = published()
    AuditEntry.objects.create(actor_name="admin", action="publish", run=run)
    shown = page("/")
    [place] = shown.boards
    assert (place.suite, place.device_class, place.entries, place.reference_lines) == ("smoke", "cpu-x86_64", 1, 0)
    assert place.boards["hip2hip"] == "/board/smoke/hip2hip/cpu-x86_64/"
    assert place.tasks == {"all": 6, "hip2hip": 2, "torch2hip": 2, "triton2triton": 2}
    [news] = shown.news
    assert (news.url, news.what.startswith("Published: ")) == (f"/run/{run.pk}/", True)


def test_home_says_who_is_first(published, entry, page, client) -> None:
    published(*["passed"] * 5, "wrong_output", configuration=entry("Second"))
    published(configuration=entry("Baseline", role="reference_line"))
    [place] = page("/").boards
    assert (
        place.leaders["all"].agent,
        place.leaders["all"].correct,
        place.leaders["all"].of,
        place.leaders["all"].equal,
    ) == ("Second", 5, 6, 0)
    published(configuration=entry("B")), published(configuration=entry("A"))
    [place] = page("/").boards
    assert (place.leaders["all"].agent, place.leaders["all"].correct, place.leaders["all"].equal) == ("A", 6, 1)
    assert "tied with 1 more" in client.get("/").content.decode()


def test_home_says_by_how_much_and_whether_it_is_sure(timed, page, client) -> None:
    timed("Ahead", noisy(0.5)), timed("Near", noisy(0.49, spread=0.4)), timed("Far", noisy(0.1))
    [place] = page("/").boards
    assert (place.leaders["all"].agent, place.leaders["all"].not_separable) == ("Ahead", 1)
    assert place.leaders["all"].usable_speedup == pytest.approx(math.exp(0.5), rel=0.02)
    assert "no significant difference from 1 more" in client.get("/").content.decode()


def test_home_shows_the_first_three_in_every_category(timed, page, client) -> None:
    for number, name in enumerate(("First", "Second", "Third", "Fourth")):
        timed(name, noisy(0.5 - number / 10))
    [place] = page("/").boards
    assert [one.agent for one in place.top] == ["First", "Second", "Third"]
    assert {category: found.rank for category, found in place.top[1].places.items()} == {"all": 2, "hip2hip": 2}
    first, second, _ = page("/").tables["top"].cells()
    assert (first["all"].text, first["all"].bar) == ("1.64×", 1.0)
    assert "hip2hip" not in first, "the suite has no other category"
    assert second["all"].bar == pytest.approx(0.8, abs=0.01), "bars start at 1×"


def test_home_begins_with_the_board_that_says_most(published, timed, page, client) -> None:
    published()
    assert page("/").main.suite == "smoke"
    timed("Line", noisy(0.1), role="reference_line")
    assert page("/").main.suite == "timed", "it has a clock"
    assert "Only reference lines are here so far" in client.get("/").content.decode()
    timed("Ahead", noisy(0.5))
    assert "Only reference lines" not in client.get("/").content.decode()


def test_home_names_nobody_before_an_entry_is_ranked(published, page) -> None:
    published(*["passed"] * 5, None)
    [place] = page("/").boards
    assert (set(place.leaders), place.top, place.entries) == ({"hip2hip", "torch2hip"}, (), 1)


@pytest.mark.django_db(transaction=True)
def test_who_is_first_is_counted_once_until_something_public_changes(django_assert_num_queries) -> None:
    clear_caches()
    factories.make_run(suite=factories.make_suite([factories.make_task()]), state="published")
    [place] = suite_boards()
    with django_assert_num_queries(1):
        assert suite_boards() == (place,)
    factories.make_run(suite=factories.make_suite([factories.make_task()]), state="published")
    assert len(suite_boards()) == 2
    clear_caches()


def test_an_empty_site_says_what_to_do(db, client) -> None:
    body = client.get("/").content.decode()
    assert "No leaderboard has results yet" in body
    assert "Nothing is published yet" in body
    assert "admin" not in body


def test_home_says_that_something_runs(suite, client) -> None:
    factories.make_run(suite=suite, status="queued")
    assert b"6 attempts waiting or running now" in client.get("/").content


def test_a_run_counts_its_latest_attempts(suite, page) -> None:
    run = factories.make_run(suite=suite)
    results = list(run.results.all())
    for result, status in zip(
        results, ["passed", "wrong_output", "running", "queued", "queued", "queued"], strict=True
    ):
        factories.make_attempt(result=result, status=status)
    factories.make_attempt(result=results[1], status="passed")  # again: the first one counts no more
    progress = page(f"/run/{run.pk}/").run.progress
    assert (progress.tasks, progress.ended, progress.running, progress.queued, progress.passed) == (6, 2, 1, 3, 2)
    assert progress.text == "2 of 6 ended, 1 running, 3 queued"


def test_a_public_run_counts_its_public_results(published, page) -> None:
    run = published("wrong_output", *["passed"] * 5)
    first, second, *_ = run.results.order_by("task__path")
    factories.make_attempt(result=first, status="passed")
    factories.make_attempt(result=second, status="crashed")
    [line] = page("/runs/").runs
    assert line.progress.passed == page("/board/smoke/all/cpu-x86_64/").entries[0].correctness.count == 5
    shown = page(f"/run/{run.pk}/").tables["results"].cells()
    assert [row["published_attempt"].note for row in shown] == ["wrong output", "passed", "", "", "", ""]


def test_a_running_run_is_polled_and_reloads_without_javascript(suite, client) -> None:
    run = factories.make_run(suite=suite, status="running")
    body = client.get(f"/run/{run.pk}/").content.decode()
    assert f'data-poll="/run/{run.pk}/progress/"' in body
    assert '<noscript><meta http-equiv="refresh"' in body
    part = client.get(f"/run/{run.pk}/progress/")
    assert part["Cache-Control"] == "no-store"
    assert b"data-done" not in part.content
    assert b"<html" not in part.content


@pytest.mark.parametrize(("status", "leads"), [("queued", True), ("running", False), ("passed", False)])
def test_a_run_that_waits_leads_to_the_queue(status, leads, suite, client) -> None:
    run = factories.make_run(suite=suite, status=status)
    for address in (f"/run/{run.pk}/", f"/run/{run.pk}/progress/"):
        assert (b'<a href="/queue/">queue</a>' in client.get(address).content) is leads


def test_a_run_that_ended_is_left_alone(suite, client) -> None:
    run = factories.make_run(suite=suite, status="passed")
    body = client.get(f"/run/{run.pk}/").content.decode()
    assert "data-poll" not in body
    assert "http-equiv" not in body
    assert b"data-done" in client.get(f"/run/{run.pk}/progress/").content


def test_a_run_says_who_published_it(published, page) -> None:
    run = published()
    AuditEntry.objects.create(actor_name="admin", action="publish", run=run, reason="first light")
    action = page(f"/run/{run.pk}/").audit_log[0]
    assert (action.actor, action.action, action.reason) == ("admin", "publish", "first light")


def test_runs_can_be_narrowed(suite, page) -> None:
    wanted = factories.make_run(suite=suite)
    factories.make_run()
    shown = page("/runs/?suite=smoke&state=draft")
    assert [line.id for line in shown.runs] == [wanted.pk]
    assert page("/runs/?state=published").runs == ()
    assert len(page("/runs/").runs) == 2


def test_a_runs_repeat_is_shown_with_its_configuration(published, entry, page) -> None:
    baseline = entry("Baseline", role="reference_line")
    for repeat in (0, 1):
        published(configuration=baseline, repeat=repeat)
    published(configuration=entry("One"), repeat=2)
    rows = page("/runs/").tables["runs"].cells()
    assert {row["entry"].note for row in rows} == {"reference line", "reference line, repeat 1", "repeat 2"}


def test_pages_of_runs_neither_repeat_nor_lose(db, page) -> None:
    suite = factories.make_suite()
    configuration = factories.make_configuration()
    made = [factories.make_run(suite=suite, configuration=configuration, with_results=False).pk for _ in range(120)]
    seen, address = [], "/runs/"
    while address:
        shown = page(address)
        seen += [line.id for line in shown.runs]
        address = f"/runs/{shown.next}" if shown.next else ""
    assert seen == made[::-1]
    assert page("/runs/?page=3").previous == "?page=2"


def test_tasks_are_listed_by_category_with_correct_results(published, page) -> None:
    published("passed", "wrong_output", *["passed"] * 4)
    published(*["passed"] * 6, configuration=factories.make_configuration(role="reference_line"))
    shown = page("/tasks/")
    assert [(task.correct, task.results) for task in shown.tasks] == [(1, 1), (0, 1), (1, 1), (1, 1), (1, 1), (1, 1)]
    assert {task.category for task in page("/tasks/?category=hip2hip").tasks} == {"hip2hip"}


def test_tasks_are_cut_by_source_and_type_of_operator(db, page, client) -> None:
    for source, operator in (("arena", "Attention"), ("kernelbenchx", "Loss"), ("kernelbenchx", "Attention")):
        factories.make_task(source=source, provenance={"operator_type": operator})
    shown = page("/tasks/?source=kernelbenchx&operator=Attention&category=hip2hip")
    assert [(task.source, task.operator) for task in shown.tasks] == [("kernelbenchx", "Attention")]
    labels = {field.key: field.label for field in shown.tables["tasks"].shown_fields}
    assert (labels["operator"], labels["source"]) == ("Operator type", "Tasks from")
    assert [(choice.name, [value for value, *_ in choice.options]) for choice in shown.choices] == [
        ("source", ["", "arena", "kernelbenchx"]),
        ("operator", ["", "Attention", "Loss"]),
    ]
    assert shown.categories[0].url == "/tasks/?source=kernelbenchx&operator=Attention"
    assert len([*client.get("/api/v1/tasks/tasks.csv?operator=Attention").streaming_content]) == 3
    assert "No task matches" in client.get("/tasks/?source=nobody").content.decode()


def test_a_type_of_operator_has_one_name_however_a_benchmark_prints_it(db, page) -> None:
    for printed in ("Activation", "Activations", "Random", "Random numbers"):
        factories.make_task(provenance={"operator_type": printed})
    assert [value for value, *_ in page("/tasks/").choices[1].options] == ["", "Activation", "Random numbers"]
    assert len(page("/tasks/?operator=Activations").tasks) == 2
    assert BoardView.from_query({"operator": "Activations"}).operator == "Activation"


def test_results_that_may_not_rank_are_not_counted_on_tasks(published, suite, page) -> None:
    run = published()
    hacked, held, uncalibrated, *_ = run.results.order_by("task__path")
    run.results.filter(pk=hacked.pk).update(audit="hacked")
    held.attempts.update(is_held=True)
    uncalibrated.attempts.update(is_uncalibrated=True)
    shown = page("/tasks/").tasks
    assert [(task.correct, task.results) for task in shown] == [(0, 1), (0, 0), (0, 0), *[(1, 1)] * 3]


def test_the_queue_shows_what_runs_before_what_waits(suite, page) -> None:
    run = factories.make_run(suite=suite)
    for result, status in zip(run.results.all(), ["queued"] * 5 + ["running"], strict=True):
        factories.make_attempt(result=result, status=status)
    shown = page("/queue/")
    assert [one.status for one in shown.open_attempts] == ["running"] + ["queued"] * 5
    [queue] = shown.queues
    assert (queue.architecture, queue.queued, queue.running, queue.hosts) == ("cpu", 5, 1, 0)


def test_a_queue_without_a_host_says_so(suite, client) -> None:
    factories.make_run(suite=suite, status="queued")
    assert b"no host serves this queue" in client.get("/queue/").content
    factories.make_host(seen_at=datetime.now(UTC))
    assert b"no host serves this queue" not in client.get("/queue/").content


def test_a_silent_host_is_distinguished_from_a_live_one(db, client) -> None:
    factories.make_host(name="old", seen_at=factories.NOON)
    factories.make_host(name="live", seen_at=datetime.now(UTC))
    factories.make_host(name="new")
    body = client.get("/hosts/").content.decode()
    assert "silent for" in body
    assert "none yet" in body
    assert body.count("✕") == 1


def test_printed_tables_keep_the_papers_text(db, page, client) -> None:
    from runs.loading.published import load_published

    load_published()
    shown = page("/published/agentkernelarena-main-results/")
    assert len(shown.rows) == 24
    assert shown.rows[0]["mean_speedup"] == "6.69"
    assert shown.rows[0]["compilation_rate_pct"] == "100.0"  # as printed, not 100
    table = shown.tables["agentkernelarena-main-results"]
    assert [group.title for group in table.groups] == ["HIP to HIP", "Triton to Triton", "PyTorch to HIP"]
    assert shown.paper.device
    assert shown.paper.citation
    assert b"none are ranked" in client.get("/published/").content


def test_data_of_printed_tables_equal_the_papers_files(db, page, client) -> None:
    import csv

    from runs.loading.published import FOLDER, load_published

    load_published()
    for paper in page("/published/").papers:
        lines = list(
            csv.DictReader((FOLDER / f"{paper.slug.replace('-', '_')}.csv").open(encoding="utf-8", newline=""))
        )
        printed = [{key: text for key, text in line.items() if key != "source"} for line in lines]
        address = f"/api/v1/published/{paper.slug}/"
        answer = client.get(f"{address}{paper.slug}.csv").getvalue().decode()
        assert list(csv.DictReader(answer.splitlines())) == printed
        assert client.get(address).json()["rows"] == lines


def test_every_printed_table_has_a_page(db, page) -> None:
    from runs.loading.published import load_published

    load_published()
    papers = page("/published/").papers
    assert len(papers) == 13
    for paper in papers:
        assert len(page(f"/published/{paper.slug}/").rows) == paper.rows


@pytest.mark.parametrize("clock", ["aka_loop", "aka_events", "kbx_do_bench"])
def test_metrics_explain_the_papers_clocks(db, page, clock) -> None:
    [clocks] = [metric for metric in page("/metrics/").metrics if metric.slug == "clocks"]
    assert f"{clock} is " in clocks.means


def test_metrics_explain_every_status_and_flag(db, page) -> None:
    from evaluator.records.reasons import Flag, Status

    shown = page("/metrics/")
    assert {status.value for status in Status} <= {term.code for term in shown.statuses}
    assert {flag.value for flag in Flag} == {term.code for term in shown.flags}
    assert all(metric.refused for metric in shown.metrics)
