from __future__ import annotations

import time

import pytest

from evaluator import VERSION
from evaluator.records.record import Finding, IsaReport
from runs import archive
from runs.models import Measurement
from tests import factories
from tests.leaderboard.conftest import CANDIDATE, address, attempted, text
from tests.records import make_case

pytestmark = pytest.mark.usefixtures("archive_folder")


def test_five_gates_have_outcomes_and_seconds(result, page) -> None:
    attempted(result, status="wrong_output", reason="mismatch")
    shown = page(address(result))
    assert [(gate.name, gate.outcome) for gate in shown.gates] == [
        ("source", "passed"),
        ("compile", "passed"),
        ("correctness", "failed"),
        ("performance", "not_reached"),
        ("integrity", "not_reached"),
    ]
    assert shown.gates[0].seconds == 0.1
    assert shown.gates[4].seconds is None


def test_the_verdict_is_the_sentence_of_the_attempt(result, client) -> None:
    attempted(result, status="wrong_output", reason="mismatch")
    body = client.get(address(result)).content.decode()
    assert "wrong output" in body
    assert "It failed." in body


def test_a_pass_says_what_was_correct_and_what_was_not_evaluated(result, page) -> None:
    attempted(result)
    verdict = page(address(result)).verdict.replace("\u00a0", " ")
    assert (
        verdict == "Builds and is correct on 1 case with 9 random draws. Speed is not evaluated on this device class."
    )


def test_bars_have_the_functional_times_of_both_sides(result, page) -> None:
    attempted(result)
    shown = page(address(result))
    [row] = shown.charts["times"].rows
    assert [(mark.series.key, mark.point.value) for mark in row.marks] == [("baseline", 2.0), ("candidate", 1.5)]
    assert [(case.baseline_ms, case.candidate_ms, case.clock) for case in shown.cases] == [(2.0, 1.5, "functional")]


def test_no_speedup_is_made_of_functional_times(result, client) -> None:
    attempted(result)
    data = client.get(f"/api/v1{address(result)}").json()
    assert {data[name] for name in ("log_speedup", "cautious_log_speedup", "paper_speedup")} == {None}
    assert {one["log_ratio"] for case in data["cases"] for one in case["clocks"]} == {None}


def test_device_times_come_before_functional_ones(result, page) -> None:
    attempt = attempted(result)
    Measurement.objects.filter(attempt=attempt).update(baseline_t_dev_ms=0.02, candidate_t_dev_ms=0.01, log_ratio=0.69)
    assert [(case.clock, case.baseline_ms) for case in page(address(result)).cases] == [("t_dev", 0.02)]


def test_a_result_without_times_has_no_bars(result, page) -> None:
    attempted(result, status="wrong_output", reason="mismatch")
    assert page(address(result)).charts == {}


def test_errors_are_shown_with_their_bounds(result, page) -> None:
    attempted(result)
    [case] = page(address(result)).cases
    assert (case.relative_rmse, case.allowed_rmse, case.baseline_rmse) == (1e-7, 4e-7, 1e-7)


def test_the_candidate_is_shown_against_the_baseline_and_whole(result, page) -> None:
    attempted(result)
    [source] = page(address(result)).sources
    assert [(line.kind, line.text) for line in source.diff.lines if line.kind != "same"] == [
        ("removed", "second"),
        ("added", "better"),
    ]
    assert source.text == CANDIDATE


def test_a_source_in_another_language_is_shown_with_the_baseline(result, page) -> None:
    result.task.files = {"module.py": text("import torch\n")}
    result.task.save()
    attempted(result)
    candidate, baseline = page(address(result)).sources
    assert (candidate.path, candidate.diff) == ("kernel.hip", None)
    assert (baseline.path, baseline.is_baseline) == ("module.py", True)


def test_findings_flags_isa_and_log_come_from_the_record(result, page) -> None:
    attempted(
        result,
        findings=(Finding("integrity", "left_child", "A child was left behind."),),
        isa=(IsaReport("candidate", "gfx942", "gelu", "", None, {"vgpr": 8, "occupancy": None}),),
        isa_checked={"gfx942": "compiled"},
        log="hipcc says hello",
    )
    shown = page(address(result))
    assert [finding.text for finding in shown.findings] == ["A child was left behind."]
    assert [flag.label for flag in shown.flags] == ["functional times"]
    assert [kernel.numbers for kernel in shown.isa] == [{"vgpr": 8, "occupancy": None}]
    assert shown.log == "hipcc says hello"


def test_what_strangers_wrote_is_never_markup(result, client) -> None:
    attempted(result, log="<script>alert(1)</script>")
    result.candidate_files = {"kernel.hip": text("</code><script>alert(2)</script>\n")}
    result.save()
    body = client.get(address(result)).content.decode()
    assert "<script>alert" not in body
    source = client.get(f"{address(result)}candidate/kernel.hip")
    assert source["Content-Type"].startswith("text/plain")
    assert source["X-Content-Type-Options"] == "nosniff"


def test_it_says_how_to_check_it(result, client) -> None:
    attempted(result)
    body = client.get(address(result)).content.decode()
    assert (
        f"curl -fsS --create-dirs -o candidate/kernel.hip http://testserver/result/{result.pk}/candidate/kernel.hip"
        in body
    )
    assert (
        "python -m evaluator evaluate hip2hip/arena/GELU --candidate candidate --backend cpu --out result.json" in body
    )


def test_a_candidate_that_is_no_overlay_is_reproduced_by_its_agent(result, page) -> None:
    result.candidate_files = {"module.py": text("import torch\n")}
    result.save()
    attempted(result)
    shown = page(address(result))
    assert shown.downloads == ()
    assert "evaluator run --suite smoke" in shown.commands[0]


def test_downloads_are_byte_for_byte(result, client) -> None:
    attempt = attempted(result, log="hello")
    assert client.get(f"{address(result)}candidate/kernel.hip").content == CANDIDATE.encode()
    assert client.get(f"{address(result)}attempt/1/record.json").content == archive.get(attempt.record_digest)
    assert client.get(f"{address(result)}attempt/1/log.txt").content == b"hello"


@pytest.mark.parametrize(
    "tail", ["candidate/../secret", "candidate/other.hip", "attempt/9/record.json", "attempt/9/log.txt"]
)
def test_nothing_else_can_be_downloaded(result, client, tail) -> None:
    attempted(result)
    assert client.get(f"{address(result)}{tail}").status_code == 404


def test_the_published_attempt_stays_until_another_is_published(result, page) -> None:
    attempted(result)
    factories.make_attempt(result=result, status="wrong_output")
    shown = page(address(result))
    assert (shown.attempt, shown.published_attempt, shown.status) == (1, 1, "passed")
    assert shown.notices == ("Attempt 2 is newer (wrong output). It counts once a maintainer publishes it.",)
    newer = page(f"{address(result)}?attempt=2")
    assert (newer.attempt, newer.status) == (2, "wrong_output")
    assert "Attempt 1 is the published one." in newer.notices[0]


def test_the_history_says_what_changed(result, page) -> None:
    attempted(result)
    factories.make_attempt(result=result, status="wrong_output", evaluator="9.0.0")
    first, second = page(address(result)).attempts
    assert first.changes == ()
    assert second.changes == (
        "status: passed → wrong output",
        "case cols=8,rows=4: correct → wrong",
        "flag removed: functional times",
        f"evaluator: {VERSION} → 9.0.0",
    )


def test_an_attempt_with_the_same_outcome_has_no_changes(result, page) -> None:
    attempted(result)
    factories.make_attempt(result=result, status="passed")
    assert page(address(result)).attempts[1].changes == ("no changes",)


def test_a_lost_record_is_reported(result, page) -> None:
    factories.publish(factories.make_attempt(result=result, status="build_failed"))
    shown = page(address(result))
    assert any("cannot be read" in notice for notice in shown.notices)
    assert [gate.outcome for gate in shown.gates] == ["passed", "failed", "not_reached", "not_reached", "not_reached"]


@pytest.mark.parametrize("status", ["queued", "running"])
def test_an_open_attempt_waits_visibly(result, client, status) -> None:
    factories.make_attempt(result=result, status=status)
    response = client.get(address(result))
    assert response.context["page"].is_open
    assert b"data-reload" in response.content
    assert b'<noscript><meta http-equiv="refresh"' in response.content


def test_a_result_without_any_attempt_has_a_page(result, page) -> None:
    assert page(address(result)).verdict == "No attempt yet."


def test_unknown_results_and_attempts_are_not_found(result, client) -> None:
    attempted(result)
    assert client.get("/result/999999/").status_code == 404
    assert client.get(f"{address(result)}?attempt=7").status_code == 404


def test_a_wrong_case_is_named(result, page) -> None:
    attempted(result, status="wrong_output", reason="mismatch", cases=(make_case("cols=8,rows=4", timed=False),))
    [case] = page(address(result)).cases
    assert case.correct is False


def test_a_case_abandoned_while_correct_is_not_called_wrong(result, page) -> None:
    attempt = factories.publish(factories.make_attempt(result=result, status="wrong_output", measured=False))
    errors = {"cols=1,rows=4": 1e-7, "cols=2,rows=4": 1e-3}
    for case, error in errors.items():
        Measurement.objects.create(
            attempt=attempt, case=case, profile="small", correct=False, draws=9, relative_rmse=error, allowed_rmse=1e-5
        )
    shown = page(address(result))
    assert [case.correct for case in shown.cases] == [None, False]
    assert [row["correct"].text for row in shown.tables["cases"].cells()] == ["correct so far", "wrong"]


@pytest.mark.parametrize("wanted", ["abc", "0", "7", "-1"])
def test_an_attempt_that_is_not_there_is_not_found(result, client, wanted) -> None:
    attempted(result)
    assert client.get(f"{address(result)}?attempt=1").status_code == 200
    assert client.get(f"{address(result)}?attempt={wanted}").status_code == 404


def test_a_candidate_of_empty_lines_only_costs_no_seconds(result, client) -> None:
    result.candidate_files = {"kernel.hip": text("\r" * 2_000_000)}
    result.save()
    attempted(result)
    started = time.process_time()
    assert client.get(address(result)).status_code == 200
    assert time.process_time() - started < 30


def test_a_result_without_files_shows_no_command(result, page, client) -> None:
    result.candidate_files = {}
    result.save()
    attempted(result, status="not_produced")
    assert (page(address(result)).commands, page(address(result)).downloads) == ((), ())
    body = client.get(address(result)).content.decode()
    assert "there is nothing to run" in body
    assert "-m evaluator evaluate" not in body


def test_statuses_that_say_nothing_about_a_candidate_are_those_of_runs() -> None:
    from leaderboard import eligibility
    from runs import querysets

    assert eligibility.NO_VERDICT == querysets.NO_VERDICT
