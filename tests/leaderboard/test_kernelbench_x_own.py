"""Results measured here on tasks after KernelBench-X's, in two stages by category."""

from __future__ import annotations

from math import log

import pytest

from runs.loading.published import load_published
from runs.models import DeviceClass, Result, Task
from tests import factories
from tests.factories import publish

SIZES = {"Activation": 10, "Loss": 2}


@pytest.fixture
def suite(db):
    tasks = [
        factories.make_task(
            category="torch2triton",
            source="kernelbenchx",
            name=f"{category}{number}",
            path=f"torch2triton/kernelbenchx/{category}{number}",
            editable=["kernel.py"],
            provenance={"operator_type": category, "path": f"{category}/{number}.py"},
        )
        for category, size in SIZES.items()
        for number in range(size)
    ]
    return factories.make_suite(tasks, name="kernelbench-x-native")


@pytest.fixture
def measured(suite):
    """Make a published run; `outcomes` by category: a speedup, or a status without one. Other tasks have no result."""

    def make(configuration=None, device: str = "h200", run: dict[str, object] | None = None, **outcomes):
        device_class = factories.make_device_class(
            slug=device, title=device.upper(), architecture="sm_90", is_functional=False
        )
        made = factories.make_run(
            suite=suite,
            configuration=configuration or factories.make_configuration(),
            device_class=device_class,
            **{"state": "published"} | (run or {}),
        )
        for category, given in outcomes.items():
            results = [one for one in made.results.order_by("id") if one.task.name.startswith(category)]
            for result, outcome in zip(results, given, strict=False):
                publish(_attempt(result, outcome))
        return made

    return make


def _attempt(result, outcome):
    if isinstance(outcome, str):
        return factories.make_attempt(result=result, status=outcome)
    logs = dict.fromkeys(("log_speedup", "cautious_log_speedup", "log_speedup_low", "log_speedup_high"), log(outcome))
    return factories.make_attempt(result=result, status="passed", **logs)


WHOLE = {"Activation": [2.0, 0.5, *["wrong_output"] * 3, *["build_failed"] * 5], "Loss": [4.0, "wrong_output"]}


def test_an_entry_has_both_stages_and_the_speeds_of_its_correct_kernels(measured, page) -> None:
    run = measured(**WHOLE)
    [entry] = page("/kernelbench-x/").own
    assert (entry.configuration, entry.device, entry.of, entry.judged) == (run.configuration.slug, "h200", 12, 12)
    assert (entry.compiled, entry.correct, entry.timed, entry.slower) == (7, 3, 3, 1)
    assert entry.geometric_mean_speedup == pytest.approx((2 * 0.5 * 4) ** (1 / 3))
    assert [(one.category, one.compiled, one.correct, one.of) for one in entry.categories] == [
        ("Activation", 5, 2, 10),
        ("Loss", 2, 1, 2),
    ]


def test_cells_say_x_of_n_and_a_percentage_only_from_ten_tasks_on(measured, page) -> None:
    measured(**WHOLE)
    shown = page("/kernelbench-x/")
    cells = [
        [(row.cells[0].text.replace("\u00a0", " "), row.cells[0].aside.replace("\u00a0", " ")) for row in chart.rows]
        for chart in (shown.charts["own_compiled"], shown.charts["own_correct"])
    ]
    assert cells == [[("5 of 10", "50 %"), ("2 of 2", "")], [("2 of 10", "20 %"), ("1 of 2", "")]]
    [activation, loss] = shown.tables["own_conversion"].cells()
    assert [cell.value for cell in activation.values()][2:] == [2, 5, 10]
    assert [cell.value for cell in loss.values()][2:] == [1, 2, 2]


def test_repeats_are_counted_together_and_device_classes_apart(measured, page) -> None:
    configuration = factories.make_configuration()
    measured(configuration, **WHOLE)
    measured(configuration, run={"repeat": 2}, **WHOLE)
    measured(configuration, device="a100", **WHOLE)
    found = page("/kernelbench-x/").own
    assert [(one.device, one.runs, one.of, one.correct) for one in found] == [("a100", 1, 12, 3), ("h200", 2, 24, 6)]


def test_of_several_protocols_the_newest_is_shown_and_the_tenth_is_newer_than_the_ninth(measured, page) -> None:
    load_published()
    configuration = factories.make_configuration()
    for protocol in ("arena-9", "arena-10"):
        measured(configuration, run={"protocol": protocol}, **WHOLE)
    assert [one.protocol for one in page("/kernelbench-x/").own] == ["arena-10", "arena-9"]
    assert page("/kernelbench-x/paper/").speeds.protocol == "arena-10"
    assert page("/runs/").choices[-2].options[1:] == (("arena-9", "arena-9", False), ("arena-10", "arena-10", False))


def test_with_a_result_missing_there_are_counts_and_no_share(measured, page) -> None:
    measured(Activation=[2.0, 0.5], Loss=[4.0, "wrong_output"])
    shown = page("/kernelbench-x/")
    [activation, loss] = (row.cells[0] for row in shown.charts["own_correct"].rows)
    assert (activation.text, activation.aside, activation.share) == ("2\u00a0of\u00a010", "8 missing", None)
    assert loss.share == 0.5
    [row] = shown.tables["own_runs"].cells()
    assert (row["judged"].text, row["compiled"].text) == ("4\u00a0of\u00a012", "4\u00a0of\u00a012")


def test_what_may_not_rank_is_not_judged(measured, page) -> None:
    run = measured(**WHOLE)
    held, hacked = run.results.filter(published_attempt__correct=True).order_by("id")[:2]
    type(held.published_attempt).objects.filter(pk=held.published_attempt_id).update(is_held=True)
    factories.make_audit(hacked, "hacked")
    type(hacked).objects.filter(pk=hacked.pk).update(audit="hacked")
    [entry] = page("/kernelbench-x/").own
    assert (entry.judged, entry.compiled, entry.correct, entry.slower) == (11, 6, 1, 0)


def test_drafts_reference_lines_and_other_suites_are_not_here(measured, page) -> None:
    measured(run={"state": "draft"}, **WHOLE)
    measured(factories.make_configuration(role="reference_line"), **WHOLE)
    factories.make_run(state="published", status="passed")
    shown = page("/kernelbench-x/")
    assert shown.own == ()
    assert "own_correct" not in shown.charts
    assert "kernelbench-x-native" in shown.tables["own_runs"].empty


def test_the_papers_figures_on_speed_stand_beside_ours(measured, page) -> None:
    load_published()
    one, other = factories.make_configuration(), factories.make_configuration()
    measured(one, device="a100", Activation=[2.0, 0.5, 1.5, 1.5, 3.0], Loss=[4.0])
    measured(one, device="h200", Activation=[1.0, 0.25, 0.5, 1.5, 0.5], Loss=[0.5])
    measured(other, device="h200", Activation=[0.8])
    for result in Result.objects.all():  # one candidate for each task
        Result.objects.filter(pk=result.pk).update(candidate_digest=f"{result.task_id:064x}")
    shown = page("/kernelbench-x/paper/")
    # On the A100 one of six is below 1, on the H200 five of seven: 0.25, 0.5, 0.5, 0.5, 0.8 (the fourth is 0.5).
    # Ratios of the entry on both: 2, 2, 3, 1, 6 and 8; their median is 2.5, their mean 22 / 6.
    assert (shown.speeds.timed, shown.speeds.slower) == (13, 6)
    assert [(one.device, one.slower, one.timed) for one in shown.speeds.devices] == [("a100", 1, 6), ("h200", 5, 7)]
    assert shown.speeds.devices[1].median == pytest.approx(0.5)
    ratios = shown.speeds.ratios
    assert (ratios.pairs, ratios.median, ratios.mean, ratios.largest) == (
        6,
        *(pytest.approx(value) for value in (2.5, 22 / 6, 8.0)),
    )
    ours = {one.figure: one.measured.replace("\u00a0", " ") for one in shown.figures}
    assert (ours["slower_share"], ours["median_speedup"]) == ("6 of 13", "0.5000× of 7 on H200")
    assert (ours["slower_share_a100"], ours["slower_share_l20"]) == ("1 of 6 on A100", "5 of 7 on H200")
    assert ours["portability_max"] == "8.00× of 6"
    # Another candidate on the H200 is no kernel on two device classes, and five tasks are too few.
    Result.objects.filter(task__name="Loss0", run__device_class__slug="h200").update(candidate_digest="f" * 64)
    ratios = page("/kernelbench-x/paper/").speeds.ratios
    assert (ratios.pairs, ratios.median) == (5, None)


def test_what_other_pages_measure_is_linked_and_not_said_to_be_missing(measured, page, client) -> None:
    load_published()
    Task.objects.filter(name="Activation0").update(provenance={"operator_type": "Activation", "path": "Math/logit.py"})
    measured(run={"protocol": "arena-1"}, **WHOLE)
    found = {one.figure: one for one in page("/kernelbench-x/paper/").figures}
    board = "kernelbench-x-native/all/h200/?protocol=arena-1"
    for key in ("fusion_unsolved_pct", "r_span", "correctness_method_pct"):
        assert found[key].measured_at == f"/attribution/{board}"
    for key in ("edits_mask", "correct_pct_first", "speedup_last", "rescued_score_pct_2"):
        assert found[key].measured_at == f"/iterations/{board}"
    assert found["speedup_last"].measured == "on the page of iterations"
    assert found["rescued_score_pct_2"].measured == "not measured: a session records no times"  # as that page says
    assert found["score_pct_GEAK"].measured_at == f"/efficiency/{board}"
    assert found["logit_speedup"].measured_at == "/task/torch2triton/kernelbenchx/Activation0/"
    assert (found["expand_where_speedup"].measured, found["expand_where_speedup"].measured_at) == ("none yet", "")
    addresses = {one.measured_at for one in found.values() if one.measured_at}
    assert {client.get(url).status_code for url in addresses} == {200}


def test_on_a_device_without_a_clock_no_efficiency_is_promised(measured, page) -> None:
    load_published()
    run = measured(**WHOLE)
    DeviceClass.objects.filter(pk=run.device_class_id).update(is_functional=True)
    found = {one.figure: one.measured for one in page("/kernelbench-x/paper/").figures}
    assert {found[key] for key in ("score_pct_GEAK", "speedup_GEAK", "rescued_speedup_1")} == {"none yet"}
    assert found["r_span"] == "on the attribution page"


def test_a_task_that_has_changed_since_stays_in_the_suites_denominators(measured, page) -> None:
    measured(**WHOLE)
    Task.objects.filter(name="Loss0").update(is_current=False)
    shown = page("/kernelbench-x/")
    assert (shown.own[0].of, shown.own[0].judged) == (12, 12)
    assert len(shown.native) == 11  # of which each is a task as it is now


def test_twelve_results_on_six_tasks_have_no_percentage(measured, page) -> None:
    configuration = factories.make_configuration()
    outcomes = {"Activation": [2.0] * 5 + ["wrong_output"] * 5, "Loss": [0.5, "wrong_output"]}
    for repeat in (1, 2):
        measured(configuration, run={"repeat": repeat}, **outcomes)
    [row] = page("/kernelbench-x/").tables["own_runs"].cells()
    shown = [row[key].text.replace("\u00a0", " ") for key in ("slower", "correct")]
    assert shown == ["2 of 12", "12 of 24 (50 %)"]


def test_speeds_of_too_few_tasks_are_counted_and_no_more(measured, page) -> None:
    load_published()
    measured(Activation=[2.0, 0.5])
    shown = page("/kernelbench-x/paper/")
    assert (shown.speeds.timed, shown.speeds.devices[0].median, shown.speeds.ratios.median) == (2, None, None)
    ours = {one.figure: one.measured for one in shown.figures}
    assert (ours["median_speedup"], ours["portability_mean"]) == ("none yet", "none yet")


def test_quantized_tasks_are_counted_over_all_entries(db, page) -> None:
    load_published()
    task = factories.make_task(
        category="torch2triton", source="kernelbenchx", provenance={"operator_type": "Quantization"}
    )
    suite = factories.make_suite([task], name="kernelbench-x-native")
    for status in ("passed", "wrong_output", "wrong_output"):
        factories.make_run(suite=suite, state="published", status=status)
    ours = {one.figure: one.measured for one in page("/kernelbench-x/paper/").figures}
    assert ours["quantization_solved"] == "1\u00a0of\u00a03"
