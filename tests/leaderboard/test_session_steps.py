"""The page of a session: each tool call with its output and the version that it led to, in pages, with a search."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from evaluator.records.record import TaskRef
from evaluator.records.sessions import TranscriptEntry
from evaluator.tasks.candidate import Candidate
from leaderboard.pages.result.session import version_of
from leaderboard.pages.result.steps import PAGE_SIZE, Step, steps
from runs.models import Result
from tests import factories
from tests.agent_sessions import make_iteration, make_session

CHECK = "version 1\nstatus: build_failed\nIt does not compile.\n"
PASSED = "version 2\nstatus: passed\ncase cols=8: correct\n"


def call(text: str, tool: str = "Bash") -> TranscriptEntry:
    return TranscriptEntry("tool_call", text, tool)


def output(text: str, tool: str | None = None) -> TranscriptEntry:
    return TranscriptEntry("tool_result", text, tool)


def told(*entries: TranscriptEntry) -> tuple[Step, ...]:
    """The steps of a session of two versions, of which the first does not build and the second passes."""
    session = make_session(TaskRef("hip2hip/arena/GELU", "a" * 64, "hip2hip"), Candidate({}, "claude_code"))
    versions = [version_of(one) for one in session.iterations]
    return steps(replace(session, transcript=entries), versions)


def test_a_call_has_its_output_also_where_several_ran_at_once() -> None:
    entries = (call("ls"), call("pwd"), output("kernel.hip"), output("/workspace"), TranscriptEntry("text", "Well."))
    assert [(one.number, one.text, one.output) for one in told(*entries)] == [
        (1, "ls", "kernel.hip"),
        (2, "pwd", "/workspace"),
        (3, "Well.", None),
    ]


def test_a_tool_that_reports_nothing_takes_no_output_from_another() -> None:
    edit, run = told(call("a patch", "edit"), call("ls", "shell"), output("kernel.hip", "shell"))
    assert (edit.output, run.output) == (None, "kernel.hip")


def test_a_call_that_checked_leads_to_its_version() -> None:
    found = told(
        call("arena check"), output(CHECK), call("cat log"), output("nothing"), call("arena check"), output(PASSED)
    )
    assert [(one.version, one.checked and one.checked.status) for one in found] == [
        *((1, "build_failed"), (None, None), (2, "passed")),
    ]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"exitCode": 0, "stdout": PASSED}),
        f"make: nothing to do\n{PASSED}",
        PASSED.replace("version 2\n", "Version 2 was checked.\n\n"),
    ],
)
def test_a_report_is_recognised_in_what_agents_print(text: str) -> None:
    [step] = told(call("arena check"), output(text))
    assert step.version == 2


@pytest.mark.parametrize("text", ["version 1\nstatus: passed\n", "version 9\nstatus: passed\n", "conversion 2\n", ""])
def test_a_report_that_no_check_made_leads_nowhere(text: str) -> None:
    [step] = told(call("echo"), output(text))
    assert step.version is None


def test_checks_that_name_no_version_are_those_of_all_versions_in_order() -> None:
    checks = [TranscriptEntry("check", f"BLOCK: {n} → {2 * n}: it got slower") for n in (64, 128)]
    assert [one.version for one in told(*checks)] == [1, 2]
    assert [one.version for one in told(*checks, checks[0])] == [None, None, None]


def test_arguments_are_read_line_by_line() -> None:
    [step] = told(call(json.dumps({"command": "a\nb", "timeout": 3})))
    assert step.text == "command: a\nb\ntimeout: 3"


@pytest.fixture
def result(suite, archive_folder) -> Result:
    """A public result whose session has a call and its output for each number up to 60, a check, and secrets."""
    made = factories.make_run(suite=suite, status="passed", state="published").results.first()
    entries = [one for n in range(1, 61) for one in (call(f"run {n}"), output(f"output {n} of <b>"))]
    secret = call(json.dumps({"command": "curl -H 'x: sk-" + "a" * 24 + "'", "more": "red \x1b[31m"}))
    factories.make_session(made, transcript=(*entries, call("arena check"), output(PASSED), secret))
    return made


def test_a_long_session_is_paged(result, page, client) -> None:
    first, second = (page(f"/result/{result.pk}/session/?page={n}") for n in (1, 2))
    assert (first.total, first.pages, len(first.steps), len(second.steps)) == (62, 2, PAGE_SIZE, 62 - PAGE_SIZE)
    assert (first.previous, first.next, second.previous, second.next) == (None, "?page=2", "?", None)
    assert page(f"/result/{result.pk}/session/?page=99").page == 2
    body = client.get(f"/result/{result.pk}/session/?page=2").content.decode()
    assert "output 41 of &lt;b&gt;" in body
    assert 'id="step-41"' in body
    assert '<a href="?page=2#step-61">2</a>' in body  # the version that was checked there
    assert [one.number for one in second.unnamed] == [1]


def test_a_search_finds_calls_and_outputs_and_leads_to_their_place(result, page, client) -> None:
    found = page(f"/result/{result.pk}/session/?q=OUTPUT 5")
    assert [one.number for one in found.steps] == [5, *range(50, 60)]
    assert found.found.replace("\u00a0", " ") == "11 of 62 steps contain “OUTPUT 5”."
    assert 'href="?page=2#step-50"' in client.get(f"/result/{result.pk}/session/?q=output 5").content.decode()
    assert page(f"/result/{result.pk}/session/?q=nowhere").steps == ()


def test_no_secret_is_shown(result, client) -> None:
    data = client.get(f"/api/v1/result/{result.pk}/session/?page=2").json()
    assert "sk-aaaa" not in data["steps"][-1]["text"]
    assert "\x1b" not in data["steps"][-1]["text"]


def test_a_session_of_a_secret_round_has_no_page(suite, client, archive_folder) -> None:
    round = factories.make_round(suite=suite, revealed_at=None)
    run = factories.make_run(suite=suite, status="passed", state="published", round=round)
    factories.make_session(run.results.first())
    assert client.get(f"/result/{run.results.first().pk}/session/").status_code == 404


def test_a_step_of_one_of_several_conversations_says_of_which() -> None:
    found = told(TranscriptEntry("text", "Well.", conversation=2), TranscriptEntry("text", "Well."))
    assert [(one.title, one.conversation) for one in found] == [("message, conversation 2", 2), ("message", None)]


def test_a_version_says_what_it_is_compared_with() -> None:
    told_apart = [(1, None), (2, None), (1, ()), (3, ()), (4, (3, 1))]
    versions = [version_of(make_iteration(number, parents=parents)) for number, parents in told_apart]
    assert [one.caption for one in versions] == [
        "compared with the baseline",
        "compared with the previous version",
        "compared with the baseline",
        "compared with the baseline",
        "compared with version 3",
    ]
