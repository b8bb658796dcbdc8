"""The result page of a device with a clock: every clock by its name, the ratio with its interval, the conditions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluator.records.measurements import T_DEV, BaselineTimes, Clock, Ratio
from evaluator.records.reasons import Flag
from evaluator.records.record import TaskRef
from leaderboard.pages.result.cases import cases
from leaderboard.queries.results import MeasurementRow
from tests import factories
from tests.records import GPU_TIMES, make_case, make_gpu_case, make_gpu_record, make_record

pytestmark = pytest.mark.usefixtures("archive_folder")
CLOCKS = ["t_dev", "t_call", "aka_loop", "aka_events"]


@pytest.fixture
def shown(db, page):
    """shown(record) → the page of a public result with that record, on an H100 class."""

    def make(record=None):
        return page(f"/result/{gpu_result(record).pk}/")

    return make


def gpu_result(record=None, category="triton2triton"):
    task = factories.make_task(category=category)
    device = factories.make_device_class(slug="h100-sxm", architecture="sm_90", is_functional=False)
    suite = factories.make_suite([task])
    run = factories.make_run(suite=suite, device_class=device, with_results=False, state="published")
    result = factories.make_result(run=run, task=task)
    factories.publish(factories.make_recorded_attempt(result=result, record=record or make_gpu_record()))
    return result


def groups(page):
    return {group.title: group for group in page.tables["clocks"].groups}


def cells(page, case: str, clock: str):
    """A case's row of the clocks' table, its cells by key."""
    rows = page.tables["clocks"].cells()
    return next(row for row in rows if (row["case"].value, row["clock"].value) == (case, clock))


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_every_case_has_every_clock_by_its_name_and_one_counts(shown) -> None:
    page = shown()
    assert len(groups(page)) == len(GPU_TIMES)
    for group in groups(page).values():
        assert [row.times.clock for row in group.rows] == CLOCKS
    notes = {(row["clock"].text, row["clock"].note) for row in page.tables["clocks"].cells()}
    assert notes == {("t_dev", "counts"), ("t_dev", ""), ("t_call", ""), ("aka_loop", ""), ("aka_events", "")}
    assert [name for name, _ in page.clocks] == CLOCKS


def test_both_sides_and_the_ratio_with_its_interval(shown) -> None:
    row = cells(shown(), "n=8388608,rounds=1", "t_dev")
    assert [plain(row[name].text) for name in ("baseline_ms", "candidate_ms")] == ["21.2 µs", "20.9 µs"]
    assert (row["ratio"].text, row["ratio"].note) == ("1.014×", "95 %: 1.008 to 1.020×")
    assert row["ratio"].value == pytest.approx(21.2 / 20.9)
    assert row["low"].value < row["ratio"].value < row["high"].value


def test_other_clocks_have_a_ratio_of_medians_and_no_interval(shown) -> None:
    row = cells(shown(), "n=4194304,rounds=1024", "t_call")
    assert row["ratio"].value == pytest.approx((0.1522 + 0.02) / (0.1013 + 0.021))
    assert (row["ratio"].note, row["low"].value, row["is_eligible"].value) == ("", None, None)


def test_a_censored_ratio_is_at_least_what_it_says(shown) -> None:
    page = shown()
    row = cells(page, "n=524288,rounds=1", "t_dev")
    assert (row["ratio"].text, row["ratio"].note) == ("≥ 7.067×", "95 %: at least 7.024×")
    assert page.verdict.startswith("Builds and is correct on ")
    assert page.answer.label == "at least 1.809× faster than the baseline"


def test_a_case_too_short_says_why_its_speed_does_not_count(shown) -> None:
    note = plain(groups(shown())["n=1000, rounds=3"].note)
    assert note == (
        "counts for correctness only: the baseline takes 3.71 µs, and a speedup counts only from 10.0 µs on"
    )
    assert cells(shown(), "n=1000,rounds=3", "t_dev")["clock"].note == ""
    assert shown().charts["times"].rows[0].note == "(1.008×)"


def test_a_case_below_five_event_pairs_says_so(shown) -> None:
    case = make_gpu_case("n=1", 12.0, 11.0)
    assert case.ratio is not None
    page = shown(make_gpu_record(cases=(replace(case, ratio=replace(case.ratio, eligible=False)),)))
    assert plain(groups(page)["n=1"].note).endswith("12.0 µs, less than 5 empty event pairs of its device class")
    assert "No case's speedup counts; the table of clocks says why." in page.verdict


@pytest.mark.parametrize(
    ("protocol", "device", "baseline_ms", "why"),
    [
        ("arena-3", "h100-sxm", 0.012, "the baseline takes 12.0 µs, less than 5 empty event pairs of its device class"),
        ("arena-2", "h100-sxm", 0.012, "the baseline takes 12.0 µs, less than 5 empty event pairs on its host"),
        ("arena-1", "mi300x-spx", 0.012, "the baseline takes 12.0 µs, less than 5 empty event pairs on its host"),
        ("arena-3", "mi300x-spx", 1.0, "no event pair is fixed for this device class yet, so no speed counts"),
    ],
)
def test_what_is_eligible_follows_the_class_and_before_arena_3_the_host(protocol, device, baseline_ms, why) -> None:
    told = {"case": "n=1", "draws": 1, "baseline_t_dev_ms": baseline_ms, "candidate_t_dev_ms": 0.01, "log_ratio": 0.1}
    row = MeasurementRow(**dict.fromkeys(MeasurementRow._fields) | told | {"is_eligible": False, "clocks": {}})
    [case] = cases([row], protocol, device)
    assert plain(case.ratio.why_not_eligible) == why


def test_a_noisy_case_says_what_metrics_use(shown) -> None:
    page = shown()
    assert groups(page)["n=4194304, rounds=8192"].note == (
        "speed counts; noisy, so metrics use the end of the interval nearer to 1"
    )
    assert "because some cases are noisy" in page.verdict


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(None, None, "95 %: no bound"), (None, 0.1, "95 %: at most 1.105×"), (-900.0, 900.0, None)],
)
def test_an_interval_without_an_end_is_shown_as_such(shown, low, high, text) -> None:
    case = replace(make_gpu_case("n=1", 20.0, 20.0), ratio=Ratio(0.0, None, None, low, high, True, False, True))
    page = shown(make_gpu_record(cases=(case,)))
    assert text is None or cells(page, "n=1", "t_dev")["ratio"].note == text
    [row] = page.charts["times"].rows
    assert [mark.low_x for mark in row.marks] == [None, None]


def test_bars_carry_the_interval_of_the_ratio_on_the_candidates_side(shown) -> None:
    rows = {row.label: row for row in shown().charts["times"].rows}
    baseline, candidate = rows["n=4194304  rounds=1024"].marks
    assert (baseline.low_x, baseline.high_x) == (None, None)
    assert candidate.low_x < candidate.x < candidate.high_x
    _, censored = rows["n=524288  rounds=1"].marks
    assert censored.low_x == 0
    assert rows["n=524288  rounds=1"].note == "≥ 7.067×"


def test_the_papers_speedup_is_a_fact_of_its_own_with_the_name_of_its_clock(shown) -> None:
    page = shown()
    assert page.paper_clock == "aka_events"
    [fact] = [text for term, text, _ in page.facts if term == "Speedup on aka_events"]
    assert fact.endswith("×, as in the paper; not ranked")
    assert page.paper_speedup != page.log_speedup


def test_in_pytorch_to_triton_the_papers_clock_is_kernelbench_x_s_and_its_baseline_eager(db, page, client) -> None:
    """Medians of both cases: (0.05 + 0.01) / (0.02 + 0.01) = 2."""
    pairs = {"n=1": (0.05, 0.02), "n=2": (0.01, 0.01)}
    cases = [make_gpu_case(name, 21.2, 10.9) for name in pairs]
    cases = [
        replace(case, clocks={**case.clocks, "kbx_do_bench": Clock((pairs[case.id][0],), (pairs[case.id][1],))})
        for case in cases
    ]
    task = TaskRef("torch2triton/kernelbenchx/relu", "a" * 64, "torch2triton")
    result = gpu_result(make_gpu_record(cases=tuple(cases), task=task), "torch2triton")
    shown = page(f"/result/{result.pk}/")
    assert (shown.paper_clock, shown.paper_speedup) == ("kbx_do_bench", pytest.approx(2.0))
    assert ("Speedup on kbx_do_bench", "2.000× against PyTorch eager, as in the paper; not ranked") in [
        fact[:2] for fact in shown.facts
    ]
    assert shown.paper_score is None, "AgentKernelArena's score has no such category"
    assert [name for name, _ in shown.clocks] == [*CLOCKS, "kbx_do_bench"]
    assert cells(shown, "n=1", "kbx_do_bench")["ratio"].value == pytest.approx(2.5)
    old = page(f"/result/{gpu_result(make_gpu_record(task=task), 'torch2triton').pk}/")
    [why] = [text for term, text, _ in old.facts if term == "Speedup on kbx_do_bench"]
    assert why.startswith("none: a full case was not timed on it")
    assert old.paper_speedup is None
    assert "kbx_do_bench" in client.get(f"/api/v1/result/{result.pk}/clocks.csv").getvalue().decode()


def test_all_baselines_of_a_case_are_side_by_side_and_the_ranked_one_is_unchanged(shown, client) -> None:
    others = {"compile": BaselineTimes(T_DEV, 0.0106, 0.0212, 2.0), "eager": BaselineTimes(T_DEV, 0.0424, 0.0212, 0.5)}
    case, plain_case = make_gpu_case("n=1,k=2", 21.2, 20.9), make_gpu_case("n=3,k=2", 21.2, 20.9)
    page = shown(make_gpu_record(cases=(replace(case, baselines=others), plain_case)))
    [row] = page.tables["baselines"].cells()
    assert [plain(row[name].text) for name in ("case", "baseline_ms", "candidate_ms")] == [
        "n=1, k=2",
        "21.2 µs",
        "20.9 µs",
    ]
    assert [(plain(row[f"{kind}_ms"].text), row[f"{kind}_ms"].note) for kind in ("eager", "compile", "library")] == [
        ("42.4 µs", "0.50×"),
        ("10.6 µs", "2.00×"),
        ("–", ""),
    ]
    assert [field.label for field in page.tables["baselines"].shown_fields] == [
        *("Case", "Task's own", "PyTorch eager", "PyTorch compile", "Candidate")
    ]
    assert (row["compile_ratio"].value, row["library_ms"].value) == (2.0, None)
    assert cells(page, "n=1,k=2", "t_dev")["ratio"].value == pytest.approx(21.2 / 20.9)
    assert page.baselines[0].others["compile"].ratio == 2.0
    api = client.get(f"/api/v1/result/{page.result}/").json()
    assert api["baselines"][0]["others"]["compile"]["time_ms"] == 0.0106
    csv = client.get(f"/api/v1/result/{page.result}/baselines.csv").getvalue().decode()
    assert "n=1,k=2" in csv
    assert ",0.0106,2.0," in csv
    assert shown().baselines == ()
    assert "baselines" not in shown().tables


def test_conditions_say_how_the_device_was_and_which_blocks_are_void(shown) -> None:
    page = shown()
    assert plain(page.conditions) == "3 sessions, 15 of 165 blocks void, 1980 MHz, 44 °C, 312 W"
    assert page.tables["sessions"].size == 15
    assert {row["blocks"].text for row in page.tables["sessions"].cells()} == {"10 of 11"}
    assert page.tables["void"].size == 15
    assert page.tables["void"].cells()[0]["void"].text == "the canary's read took 36.5 us, usually 31.0 us"


def test_throttling_and_a_void_session_are_shown(shown) -> None:
    case = make_gpu_case("n=1", 20.0, 20.0)
    slow = replace(case.sessions[0], void="3 of 200 readings are not positive", conditions={"throttled": "power cap"})
    page = shown(make_gpu_record(cases=(replace(case, sessions=(slow, *case.sessions[1:])),)))
    assert page.conditions.endswith("throttled: power cap")
    assert page.tables["sessions"].cells()[0]["session"].note == "void: 3 of 200 readings are not positive"


def test_raw_blocks_are_in_the_json(client, db) -> None:
    record = make_gpu_record()
    data = client.get(f"/api/v1/result/{gpu_result(record).pk}/").json()
    session = data["sessions"][0]
    block = record.cases[0].sessions[0].blocks[0]
    assert (session["case"], session["number"], session["clock_mhz"]) == (record.cases[0].id, 1, 1980)
    assert session["blocks"][0]["candidate_ns"] == list(block.candidate_ns)
    assert session["blocks"][4]["void"].startswith("the canary's read")
    case = next(one for one in data["cases"] if one["id"] == "n=524288,rounds=1")
    assert (case["ratio"]["is_censored"], case["ratio"]["high"]) == (True, None)
    assert [one["clock"] for one in case["clocks"]] == CLOCKS


def test_the_page_explains_its_clocks_and_flags(client, db) -> None:
    body = client.get(f"/result/{gpu_result().pk}/").content.decode()
    assert "The only clock that is ranked." in body
    assert "Metrics use the end of the interval nearer to 1." in body
    assert "<summary><h2>Conditions <small>3\u00a0sessions" in body


def test_times_of_a_tasks_own_script_are_shown_and_not_ranked(shown, client) -> None:
    clocks = {"cuda_events": Clock((0.4, 0.5, 0.6), (0.25,))}
    case = make_case("shape=1", clocks=clocks, speedup=2.0)
    page = shown(make_gpu_record(protocol="aka-scripts-1", flags=(Flag.SCRIPT_TIMED,), cases=(case,)))
    row = cells(page, "shape=1", "cuda_events")
    assert (row["ratio"].value, row["ratio"].note, row["clock"].note) == (pytest.approx(2.0), "", "")
    assert groups(page)["shape=1"].note == "not timed on t_dev: its speed does not count"
    assert page.clocks == (("cuda_events", "Measured by the task's own script, not by this evaluator. Not ranked."),)
    assert (page.log_speedup, page.paper_speedup, page.charts, page.conditions) == (None, None, {}, "")
    assert set(page.tables) == {"cases", "clocks", "attempts", "quality"}


def test_a_result_on_a_cpu_has_none_of_it(client, db, page) -> None:
    task = factories.make_task()
    run = factories.make_run(suite=factories.make_suite([task]), with_results=False, state="published")
    result = factories.make_result(run=run, task=task)
    factories.publish(factories.make_recorded_attempt(result=result, record=make_record()))
    shown = page(f"/result/{result.pk}/")
    assert set(shown.tables) == {"cases", "attempts", "quality"}
    assert [one.log_ratio for case in shown.cases for one in case.clocks] == [None, None]
    assert "Conditions" not in client.get(f"/result/{result.pk}/").content.decode()
