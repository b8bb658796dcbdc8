from __future__ import annotations

import pytest

from leaderboard.eligibility import REFERENCE_LINE
from leaderboard.words import choices_of, suite_name
from runs.models import Result, Task
from runs.querysets import is_correct
from runs.services.revision import public_changed
from tests import factories

BOARD = "/board/smoke/all/cpu-x86_64/"
PASSED = ("passed",) * 6


def named(page, name):
    return next(entry for entry in page.entries if entry.agent == name)


def test_entries_rank_by_correctness_and_equal_ones_share_a_rank(published, entry, page) -> None:
    published(*PASSED, configuration=entry("Best"))
    published("wrong_output", *PASSED[1:], configuration=entry("Twin B"))
    published("build_failed", *PASSED[1:], configuration=entry("Twin A"))
    published("wrong_output", "crashed", *PASSED[2:], configuration=entry("Last"))
    ranks = [(found.rank, found.agent) for found in page(BOARD).entries]
    assert ranks == [(1, "Best"), (2, "Twin B"), (2, "Twin A"), (4, "Last")]  # among equals, who compiled more first


def test_a_rate_counts_the_tasks_of_the_suite(published, entry, page) -> None:
    published("build_failed", "wrong_output", *PASSED[2:], configuration=entry("One"))
    found = named(page(BOARD), "One")
    assert (found.compilation.count, found.compilation.of) == (5, 6)
    assert (found.correctness.count, found.correctness.of) == (4, 6)
    assert found.correctness.share == pytest.approx(4 / 6)


def test_each_type_of_operator_counts_its_own_results(published, entry, page) -> None:
    run = published("build_failed", "wrong_output", *PASSED[2:], configuration=entry("One"))
    tasks = [result.task for result in run.results.order_by("task__category", "task__path")]
    assert page(BOARD).operators == ()
    for task, name in zip(tasks, ("Loss", "Loss", "Index", "Loss", "Index", "Index"), strict=True):
        Task.objects.filter(pk=task.pk).update(provenance={"operator_type": name})
    public_changed()
    shown = page(BOARD)
    found = {one.operator: (one.tasks, one.compiled, one.correct, one.of) for one in shown.operators}
    assert found == {"Index": (3, 3, 3, 3), "Loss": (3, 2, 1, 3)}
    assert [[cell.text for cell in row.cells] for row in shown.charts["operators"].rows] == [["3 of 3"], ["1 of 3"]]


def test_six_tasks_carry_an_interval_and_two_do_not(published, entry, page) -> None:
    published("wrong_output", *PASSED[1:], configuration=entry("One"))
    everything, category = page(BOARD), page("/board/smoke/hip2hip/cpu-x86_64/")
    interval = named(everything, "One").correctness.interval
    assert (interval.low, interval.high) == pytest.approx((0.436496, 0.969946), abs=2e-6)
    assert named(category, "One").correctness.interval is None
    assert any("needs 6 tasks; there are 2. The counts are exact." in refusal for refusal in category.refusals)
    assert not any("No intervals" in refusal for refusal in everything.refusals)


def test_runs_of_a_configuration_stand_on_one_line(published, entry, page) -> None:
    configuration = entry("Twice")
    published(*PASSED, configuration=configuration)
    published("wrong_output", *PASSED[1:], configuration=configuration, repeat=1)
    [found] = page(BOARD).entries
    assert (found.correctness.count, found.correctness.of, len(found.runs)) == (11, 12, 2)


def test_a_reference_line_is_drawn_and_never_ranked(published, entry, page) -> None:
    published(*PASSED, configuration=entry("Baseline", role="reference_line"))
    published("wrong_output", *PASSED[1:], configuration=entry("Entry"))
    shown = page(BOARD)
    line = named(shown, "Baseline")
    assert (line.rank, line.not_ranked_because) == (None, REFERENCE_LINE)
    assert named(shown, "Entry").rank == 1
    assert [(drawn.value, drawn.text) for drawn in shown.charts["rates"].lines] == [(1.0, "Baseline")]
    assert shown.entries[-1] is line  # after everything that ranks


def test_who_takes_other_categories_is_on_no_board_of_this_one(published, entry, page) -> None:
    for slug, role in (("eager", "reference_line"), ("block_tuner", "entry")):
        agent = factories.make_agent(slug=slug, name=slug, kind="built_in")
        published(configuration=factories.make_configuration(agent=agent, model=None, role=role))
    shown = {category: page(f"/board/smoke/{category}/cpu-x86_64/") for category in ("all", "torch2hip", "hip2hip")}
    names = {category: [one.agent for one in board.entries] for category, board in shown.items()}
    assert names == {"all": ["block_tuner"], "torch2hip": ["eager"], "hip2hip": ["block_tuner"]}


def test_an_external_agent_of_the_same_name_takes_every_category(published, page, client) -> None:
    agent = factories.make_agent(slug="eager", name="Eager", kind="external")
    published(configuration=factories.make_configuration(slug="eager", agent=agent, model=None))
    assert [one.rank for one in page("/board/smoke/hip2hip/cpu-x86_64/").entries] == [1]
    assert page("/").boards[0].leaders["hip2hip"].agent == "Eager"
    for address in ("/agent/eager/", "/configuration/eager/"):
        shown = page(address)
        assert len(shown.standings[0].tallies) == 4
        assert "PyTorch" not in shown.lead


def test_the_expert_is_no_line_over_plain_tasks(published, page) -> None:
    for slug in ("expert", "baseline"):
        agent = factories.make_agent(slug=slug, name=slug, kind="built_in")
        configuration = factories.make_configuration(agent=agent, model=None, role="reference_line")
        run = published(configuration=configuration)
    run.suite.tasks.filter(pk=run.suite.tasks.filter(category="hip2hip").first().pk).update(is_plain=True)
    shown = {category: page(f"/board/smoke/{category}/cpu-x86_64/") for category in ("all", "torch2hip", "hip2hip")}
    names = {category: sorted(one.agent for one in board.entries) for category, board in shown.items()}
    assert names == {"all": ["baseline"], "torch2hip": ["baseline", "expert"], "hip2hip": ["baseline"]}


def test_pytorch_to_triton_has_a_board_of_its_own_with_eager_as_its_line(entry, page, db) -> None:
    tasks = [factories.make_task(category=category) for category in ("torch2hip", "torch2triton")]
    suite = factories.make_suite(tasks, name="modules")
    for slug, kind, role in (("eager", "built_in", "reference_line"), ("mine", "external", "entry")):
        agent = factories.make_agent(slug=slug, name=slug, kind=kind)
        configuration = factories.make_configuration(agent=agent, role=role)
        run = factories.make_run(suite=suite, state="published", configuration=configuration)
        for result in run.results.all():
            factories.publish(factories.make_attempt(result=result, status="passed"))
    shown = page("/board/modules/torch2triton/cpu-x86_64/")
    assert [(one.agent, one.rank, one.of) for one in shown.entries] == [("mine", 1, 1), ("eager", None, 1)]
    assert [link.text for link in shown.categories] == ["All categories", "PyTorch to HIP", "PyTorch to Triton"]
    result = page(f"/result/{shown.results[-1].result}/")
    assert (result.paper_clock, result.paper_speedup) == ("kbx_do_bench", None), "no clock on a CPU"


def test_where_there_are_only_lines_it_says_how_to_put_the_first_model_there(published, entry, client) -> None:
    how = b"Only reference lines are here so far"
    published(configuration=entry("Baseline", role="reference_line"))
    assert [how in client.get(address).content for address in ("/", BOARD)] == [True, True]
    published(configuration=entry("Entry"))
    assert [how in client.get(address).content for address in ("/", BOARD)] == [False, False]


@pytest.mark.parametrize("status", ["errored", "not_judged", "cancelled"])
def test_an_entry_without_a_verdict_somewhere_is_incomplete(published, entry, page, status) -> None:
    published(status, "wrong_output", *PASSED[2:], configuration=entry("Gap"))
    found = named(page(BOARD), "Gap")
    assert found.rank is None
    assert found.not_ranked_because.startswith("Not ranked: of 6 results, 1 is ")
    assert (found.judged, found.of) == (5, 6)
    assert found.correctness.share is None
    assert (found.correctness.worst, found.correctness.best) == pytest.approx((4 / 6, 5 / 6))


def test_an_answer_that_is_not_published_is_missing(published, entry, page) -> None:
    published(None, *PASSED[1:], configuration=entry("Gap"))
    shown = page(BOARD)
    assert named(shown, "Gap").not_ranked_because == "Not ranked: of 6 results, 1 is missing."
    assert [result.status for result in shown.results].count("missing") == 1


def test_a_hold_keeps_an_entry_from_ranking(published, entry, page) -> None:
    run = published(*PASSED, configuration=entry("Held"))
    attempt = run.results.first().published_attempt
    attempt.is_held = True
    attempt.save()
    found = named(page(BOARD), "Held")
    assert found.rank is None
    assert "held for a review" in found.not_ranked_because


def test_an_unranked_entry_takes_no_rank_from_others(published, entry, page) -> None:
    published("errored", *PASSED[1:], configuration=entry("Gap"))
    published("wrong_output", "wrong_output", *PASSED[2:], configuration=entry("Whole"))
    assert named(page(BOARD), "Whole").rank == 1


def test_drafts_and_withdrawn_runs_stand_on_no_board(suite, entry, page) -> None:
    factories.make_run(suite=suite, configuration=entry("Draft"), status="passed")
    factories.make_run(suite=suite, configuration=entry("Gone"), status="passed", state="withdrawn")
    assert page(BOARD).entries == ()


def test_a_rerun_changes_no_board_until_it_is_published(published, entry, page) -> None:
    run = published(*PASSED, configuration=entry("Best"))
    before = page(BOARD)
    factories.make_attempt(result=run.results.first(), status="wrong_output")
    after = page(BOARD)
    assert (after.entries, after.results) == (before.entries, before.results)


def test_other_protocols_devices_and_suites_do_not_mix(published, entry, page) -> None:
    published(*PASSED, configuration=entry("Here"))
    published(*PASSED, configuration=entry("Old"), protocol="arena-0")
    device = factories.make_device_class(slug="h100-sxm", title="H100", architecture="sm_90", is_functional=False)
    published(*PASSED, configuration=entry("There"), device_class=device)
    assert [found.agent for found in page(BOARD).entries] == ["Here"]
    assert [found.agent for found in page(f"{BOARD}?protocol=arena-0").entries] == ["Old"]
    assert [found.agent for found in page("/board/smoke/all/h100-sxm/").entries] == ["There"]


def test_no_speed_is_said_on_a_cpu(published, entry, client) -> None:
    published(*PASSED, configuration=entry("One"))
    response = client.get(BOARD)
    assert any(refusal.startswith("No speed:") for refusal in response.context["page"].refusals)
    table = response.context["page"].tables["entries"]
    assert not [column.key for column in table.fields if "speed" in column.key or "ms" in column.key.split("_")]


def test_a_category_of_the_suite_counts_its_own_tasks(published, entry, page) -> None:
    published("wrong_output", *PASSED[1:], configuration=entry("One"))
    shown = page("/board/smoke/hip2hip/cpu-x86_64/")
    assert (named(shown, "One").correctness.count, named(shown, "One").correctness.of) == (1, 2)
    assert [link.text for link in shown.categories] == [
        "All categories",
        "HIP to HIP",
        "PyTorch to HIP",
        "Triton to Triton",
    ]


def test_a_suite_of_one_category_offers_no_choice_of_them() -> None:
    assert list(choices_of({"torch2triton"})) == ["all"]
    assert list(choices_of({"torch2hip", "hip2hip"})) == ["all", "hip2hip", "torch2hip"]


def test_a_new_version_of_a_suite_is_another_board(published, suite, entry, page) -> None:
    published(*PASSED, configuration=entry("Old"))
    suite.is_current = False
    suite.save()
    factories.make_suite(list(suite.tasks.all()), name="smoke", version=2)
    assert page(BOARD).entries == ()
    old = page(f"{BOARD}?version=1")
    assert [found.agent for found in old.entries] == ["Old"]
    assert not old.is_current


def test_sorting_never_puts_the_unranked_first(published, entry, page) -> None:
    published(*PASSED, configuration=entry("Zeta"))
    published("wrong_output", *PASSED[1:], configuration=entry("Alpha"))
    published("errored", *PASSED[1:], configuration=entry("Aardvark"))
    for sort, names in {
        "": ["Zeta", "Alpha", "Aardvark"],
        "name": ["Alpha", "Zeta", "Aardvark"],
        "nonsense": ["Zeta", "Alpha", "Aardvark"],
    }.items():
        assert [found.agent for found in page(f"{BOARD}?sort={sort}").entries] == names


@pytest.mark.parametrize(
    "address",
    [
        "/board/nothing/all/cpu-x86_64/",
        "/board/smoke/nothing/cpu-x86_64/",
        "/board/smoke/all/nothing/",
        "/board/smoke/all/cpu-x86_64/?version=9",
    ],
)
def test_an_unknown_board_is_not_found(published, client, address) -> None:
    published()
    assert client.get(address).status_code == 404


def test_an_empty_board_says_what_to_do(suite, client) -> None:
    factories.make_device_class()
    body = client.get(BOARD).content.decode()
    assert "is published here yet. The page Submit says how to add one." in body


def test_the_page_names_why_an_entry_is_not_ranked(published, entry, client) -> None:
    published("errored", *PASSED[1:], configuration=entry("Gap"))
    body = client.get(BOARD).content.decode()
    assert "Not ranked: of 6 results, 1 is errored." in body


def test_what_the_page_calls_rankable_is_what_the_predicate_says(published, entry, page) -> None:
    """One predicate: the board's results against `may_rank`, over everything that can differ."""
    for index, status in enumerate(["passed", "wrong_output", "errored", "not_judged", "cancelled", "tampered"]):
        for role in ("entry", "reference_line"):
            run = published(*[status] * 6, configuration=entry(f"{status}-{role}", role=role), repeat=index)
            results = list(run.results.select_related("published_attempt"))
            for result, audit in zip(
                results, ["none", "clean", "hacked", "contaminated", "harness_fault", "suspect"], strict=True
            ):
                result.audit = audit
                result.save()
            results[0].published_attempt.is_held = True
            results[0].published_attempt.save()
            results[1].published_attempt.is_uncalibrated = True
            results[1].published_attempt.save()
            if status == "wrong_output":
                results[5].attempts.update(protocol="script-timed")
    ranked = set(Result.objects.may_rank().values_list("pk", flat=True))
    right = set(Result.objects.public().filter(is_correct()).values_list("pk", flat=True))
    shown = page(BOARD)
    role_of = {found.configuration: found.role for found in shown.entries}
    assert ranked
    for result in shown.results:
        assert result.may_rank == (result.result in ranked)
        assert result.may_rank == (result.obstacle is None and role_of[result.configuration] == "entry")
        assert bool(result.correct) == (result.result in right)


@pytest.mark.parametrize(
    ("accepted", "reason"),
    [(False, "from a host that is not accepted"), (None, "from a host that is not calibrated")],
)
def test_why_times_of_a_host_do_not_rank(published, entry, page, accepted, reason) -> None:
    run = published(*PASSED, configuration=entry("One"))
    host = factories.make_host(is_accepted=accepted)
    run.results.first().attempts.update(is_uncalibrated=True, host=host)
    assert named(page(BOARD), "One").not_ranked_because == f"Not ranked: of 6 results, 1 is {reason}."


def test_what_a_tasks_own_script_timed_says_so(published, entry, page) -> None:
    run = published(*PASSED, configuration=entry("One"))
    run.results.first().attempts.update(protocol="script-timed")
    assert "1 is timed with another protocol" in named(page(BOARD), "One").not_ranked_because


def test_names_of_strangers_are_never_markup(published, entry, client) -> None:
    published(
        "wrong_output", *PASSED[1:], configuration=entry("<script>alert(1)</script>\"'><img src=x onerror=alert(2)>")
    )
    body = client.get(BOARD).content.decode()
    assert "<script>alert" not in body
    assert "<img src=x" not in body
    assert "alert(1)" in body


def test_a_result_of_an_older_suite_leads_to_its_own_board(published, suite, entry, page) -> None:
    run = published(*PASSED, configuration=entry("Old"))
    address = f"/result/{run.results.first().pk}/"
    assert ("smoke@1, HIP to HIP", "/board/smoke/hip2hip/cpu-x86_64/") in [fact[1:] for fact in page(address).facts]
    suite.is_current = False
    suite.save()
    assert page(f"/run/{run.pk}/").board == f"{BOARD}?version=1"


def test_links_of_a_board_keep_its_version_and_protocol(published, suite, page) -> None:
    published()
    type(suite).objects.filter(pk=suite.pk).update(is_current=False)
    factories.make_suite(list(suite.tasks.all()), name="smoke", version=2)
    shown = page(f"{BOARD}?version=1&protocol=old&sort=name")
    urls = {column.key: column.sort_url for column in shown.tables["entries"].fields if column.sort_url}
    sortable = ("name", "correctness", "trust", "compilation", "published_at", "cost_usd")
    assert urls == {
        "rank": "?version=1&protocol=old",
        **{name: f"?version=1&protocol=old&sort={name}" for name in sortable},
    }
    assert {link.url.partition("?")[2] for link in shown.categories} == {"version=1&protocol=old&sort=name"}
    assert [column.sort_url for column in page(BOARD).tables["entries"].fields if column.key == "rank"] == ["?"]


def test_control_characters_in_a_name_spoil_no_drawing(published, entry, page, client) -> None:
    from xml.etree import ElementTree

    published(configuration=entry("a\x0bb\u202ec\ufffe"))
    drawing = client.get(f"/api/v1{BOARD}rates.svg").content.decode()
    assert "a\ufffdb\ufffdc\ufffd" in "".join(ElementTree.fromstring(drawing).itertext())
    [[name]] = [
        [cell.text for column, cell in row if column.key == "name"]
        for _, rows in page(BOARD).tables["entries"].shown_groups
        for row in rows
    ]
    assert name == "a\ufffdb\ufffdc\ufffd"


@pytest.mark.parametrize(
    ("title", "shown"), [("", "Smoke, all categories"), ("Smoke tests", "Smoke tests, all categories")]
)
def test_a_suite_without_a_title_is_called_by_its_name_in_words(published, suite, page, title, shown) -> None:
    suite.title = title
    suite.save()
    published()
    assert page(BOARD).title == shown
    assert suite_name("", "native-24") == "Native 24"
