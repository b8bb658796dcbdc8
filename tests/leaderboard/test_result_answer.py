"""What a result's page says first: its speed in words, its doubts, its trust; and what it leaves folded."""

from __future__ import annotations

import pytest

from evaluator.records.record import Finding
from runs.models import Attempt, Result, Run
from tests import factories
from tests.leaderboard.conftest import address, attempted

pytestmark = pytest.mark.usefixtures("archive_folder")
FASTER = {"log_speedup": 0.28, "log_speedup_low": 0.27, "log_speedup_high": 0.29, "paper_speedup": 1.5}


@pytest.fixture
def timed_result(db):
    """timed_result(columns of its attempt) → a public result of an entry on a device with a clock."""
    device = factories.make_device_class(slug="h100-sxm", title="H100", architecture="sm_90", is_functional=False)

    def make(status: str = "passed", **values) -> Result:
        task = factories.make_task(category="triton2triton")
        suite = factories.make_suite([task])
        run = factories.make_run(suite=suite, device_class=device, with_results=False, state="published")
        result = factories.make_result(run=run, task=task)
        values.setdefault("cautious_log_speedup", values.get("log_speedup"))
        factories.publish(factories.make_attempt(result=result, status=status, measured=False, **values))
        return result

    return make


def facts(shown) -> dict[str, str]:
    return {term: text.replace("\u00a0", " ") for term, text, _ in (*shown.standing, *shown.facts)}


@pytest.mark.parametrize(
    ("value", "low", "high", "label", "tone", "meaning"),
    [
        (0.28, 0.27, 0.29, "1.323× faster than the baseline", "good", "95 %: 1.310 to 1.336×"),
        (-1.03, -1.05, -1.01, "2.801× slower than the baseline", "bad", "95 %: 2.746 to 2.858×"),
        (0.01, -0.01, 0.03, "no measurable difference from the baseline", "ours", "95 %: 0.9900 to 1.030×"),
        (0.28, None, None, "1.323× faster than the baseline", "ours", "no interval"),
        (-1.03, None, -1.01, "2.801× slower than the baseline", "bad", "95 %: at least 2.746×"),
    ],
)
def test_the_speed_has_a_direction_in_words(timed_result, page, value, low, high, label, tone, meaning) -> None:
    result = timed_result(log_speedup=value, log_speedup_low=low, log_speedup_high=high)
    answer = page(address(result)).answer
    assert (answer.label, answer.tone, answer.meaning) == (label, tone, meaning)
    assert (answer.mark == "✓") == (tone == "good")


@pytest.mark.parametrize(("audit", "tone"), [("suspect", "open"), ("hacked", "bad"), ("harness_fault", "ours")])
def test_a_doubtful_result_loses_its_tick_and_keeps_its_number(timed_result, page, client, audit, tone) -> None:
    result = timed_result(**FASTER)
    Result.objects.filter(pk=result.pk).update(audit=audit)
    answer = page(address(result)).answer
    assert (answer.label, answer.tone) == (audit.replace("_", " "), tone)
    assert "Measured: 1.323× faster than the baseline" in answer.meaning
    assert '<p class="verdict answer good"' not in client.get(address(result)).content.decode()


def test_a_held_result_says_so_first_until_a_reviewer_has_let_it_go(timed_result, page) -> None:
    result = timed_result(**FASTER, is_held=True, flags=["hold"])
    shown = page(address(result))
    assert (shown.answer.label, shown.answer.tone, facts(shown)["Ranked"]) == (
        *("held", "open", "no: held for a review"),
    )
    Attempt.objects.update(is_held=False)
    assert page(address(result)).answer.tone == "good"


def test_status_trust_and_rank_stand_below_the_answer(timed_result, page) -> None:
    result = timed_result(**FASTER)
    assert [facts(page(address(result)))[name] for name in ("Status", "Trust", "Ranked")] == [
        *("passed", "run here", "yes"),
    ]
    Run.objects.update(origin="imported", bundle_digest="a" * 64, trust="claimed")
    assert facts(page(address(result)))["Trust"] == "claimed"
    Run.objects.update(trust="reproduced", reproduced_tasks=5, verified_tasks=6)
    assert facts(page(address(result)))["Trust"] == "reproduced 5 of 6"


def test_a_reference_line_and_a_draft_say_why_they_are_not_ranked(timed_result, page) -> None:
    result = timed_result(**FASTER)
    result.run.configuration.role = "reference_line"
    result.run.configuration.save()
    assert facts(page(address(result)))["Ranked"] == "no: a reference line"
    draft = factories.make_run(status="passed").results.first()
    assert facts(page(address(draft)))["Ranked"] == "no: draft run"


@pytest.mark.parametrize(
    ("status", "columns", "score", "text"),
    [
        ("passed", FASTER, 270.0, "270.0 = 20 + 100 + 100 × 1.500; not ranked"),
        ("wrong_output", {}, 20.0, "20.0 = 20 + 0 + 0; not ranked"),
        ("build_failed", {}, 0.0, "0.0 = 0 + 0 + 0; not ranked"),
        ("passed", {}, None, None),
        ("errored", {}, None, None),
    ],
)
def test_the_papers_score_is_shown_with_its_parts(timed_result, page, status, columns, score, text) -> None:
    """20 for compiling, 100 for correct, 100 × 1.5 for the speedup on the paper's clock."""
    shown = page(address(timed_result(status, **columns)))
    assert (shown.paper_score, facts(shown).get("Paper's score")) == (score, text)


def test_a_hacked_result_scores_as_not_correct(timed_result, page) -> None:
    result = timed_result(**FASTER)
    Result.objects.update(audit="hacked")
    assert facts(page(address(result)))["Paper's score"] == "20.0 = 20 + 0 + 0; not ranked"


def test_without_the_papers_clock_there_is_no_score(result, page) -> None:
    attempted(result, status="wrong_output", reason="mismatch")
    assert page(address(result)).paper_score is None


def test_a_category_that_the_paper_lacks_has_no_score(timed_result, page) -> None:
    result = timed_result("wrong_output")
    type(result.task).objects.update(category="torch2triton")
    assert page(address(result)).paper_score is None


def test_gates_say_what_they_ask_on_this_device(timed_result, result, page) -> None:
    attempted(result, isa_checked={"gfx942": "compiled", "gfx950": "not checked: no compiler"})
    on_cpu, on_gpu = (
        {gate.name: gate.meaning for gate in page(address(one)).gates} for one in (result, timed_result(**FASTER))
    )
    assert on_cpu["performance"] == "Runs beside the baseline."
    assert on_gpu["performance"] == "Timed in alternation with the baseline."
    assert on_cpu["compile"] == "Compiles from scratch, also for gfx942, and can be called."
    assert on_gpu["compile"] == "Compiles from scratch and can be called."


def test_the_answer_bars_and_diff_come_first_and_the_rest_is_folded(result, client) -> None:
    attempted(result, log="hipcc", findings=(Finding("integrity", "left_child", "A child was left."),))
    body = client.get(address(result)).content.decode()
    places = [body.index(text) for text in ('class="verdict', "chart-figure", 'class="diff"', 'class="folds"')]
    assert places == sorted(places)
    for title in ("Cases and errors", "Log", "Reproduce", "History"):
        assert f"<summary><h2>{title}" in body[places[-1] :]
    assert "<details open" not in body
