"""Agents' sessions on the pages of runs and results: usage, what was not reported, versions with their changes."""

from __future__ import annotations

import json

import pytest

from evaluator.records.sessions import TranscriptEntry, Usage
from leaderboard.diffs import parsed
from leaderboard.pages.result.session import labels_of
from leaderboard.pages.session_cells import usd
from runs import archive
from runs.models import AgentSession, Result
from tests import factories
from tests.agent_sessions import DIFF

pytestmark = pytest.mark.django_db


@pytest.fixture
def result(suite) -> Result:
    run = factories.make_run(suite=suite, status="passed", state="published")
    return run.results.order_by("task__path")[0]


def test_a_results_page_shows_the_session_with_every_version(result, page, client) -> None:
    factories.make_session(result)
    shown = page(f"/result/{result.pk}/")
    session = shown.session
    assert (session.agent, session.model, session.ended, session.output_tokens, session.cost_usd) == (
        *("chat_loop", "m-1", "finished", 2000, 0.005),
    )
    assert [(one.number, one.status, one.added, one.removed, one.labels) for one in session.versions] == [
        (1, "build_failed", 2, 1, ("launch_bounds",)),
        (2, "passed", 2, 1, ("launch_bounds",)),
    ]
    assert f'href="/result/{result.pk}/session/"' in client.get(f"/result/{result.pk}/").content.decode()
    text = client.get(f"/result/{result.pk}/session/").content.decode()
    assert "__launch_bounds__(256)" in text
    assert "compared with the previous version" in text
    assert "0.0050\u00a0USD, from its tokens and the configuration&#x27;s prices" in text
    assert "elsewhere: imported with its bundle" in text


def test_what_was_not_reported_is_shown_as_such(result, client) -> None:
    factories.make_session(result, usage=Usage(), settings={"input_price": "null", "output_price": "null"})
    text = client.get(f"/result/{result.pk}/session/").content.decode()
    assert "unknown: the configuration sets no token prices" in text
    assert text.count("not reported") == 6


def test_a_result_without_a_session_has_no_section_of_it(result, page, client) -> None:
    assert page(f"/result/{result.pk}/").session is None
    assert "session-title" not in client.get(f"/result/{result.pk}/").content.decode()
    for name in ("session.json", "session/", "transcript.txt", "prompt.txt"):
        assert client.get(f"/result/{result.pk}/{name}").status_code == 404


def test_the_run_page_has_all_sessions_and_the_exact_prompt(result, page, client) -> None:
    factories.make_session(result)
    shown = page(f"/run/{result.run_id}/")
    assert [(one.task, one.turns, one.cost_usd) for one in shown.sessions] == [(result.task.path, 2, 0.005)]
    text = client.get(f"/run/{result.run_id}/").content.decode()
    assert "# 1. Task\n\nMake it faster." in text
    facts = {term: value for term, value, _ in shown.facts}
    assert facts["Agent version"] == "evaluator 0.1.0, which ran its sessions"
    assert (facts["Model used"], facts["Cost"]) == ("m-1", "0.0050\u00a0USD")
    row = client.get(f"/api/v1/run/{result.run_id}/sessions.json").json()[0]
    assert (row["input_tokens"], row["cached_input_tokens"], row["model"]) == (1000, 200, "m-1")


@pytest.mark.parametrize(
    ("agent", "is_over", "expected"),
    [
        ("block_tuner", True, "this agent is a program"),
        ("chat_loop", True, "no ended session has one"),
        ("somebody's", True, "no ended session has one"),
        ("chat_loop", False, "No prompt yet: no session has ended."),
        ("block_tuner", False, "No prompt yet: no session has ended."),
    ],
)
def test_a_missing_prompt_is_explained(result, client, agent, is_over, expected) -> None:
    if is_over:
        factories.make_session(result, agent=agent, prompt=None)
    else:  # cancelled during its session, or lost with its worker
        AgentSession.objects.create(result=result, agent=agent, started_at=factories.NOON)
    text = client.get(f"/run/{result.run_id}/").content.decode()
    assert [line for line in text.splitlines() if "No prompt" in line and expected in line]
    assert ("is a program" in text) == ("program" in expected)


def test_a_prompt_that_the_archive_lost_is_reported(result, client) -> None:
    archive.remove(factories.make_session(result).prompt_digest)
    assert "it is no longer in the archive" in client.get(f"/run/{result.run_id}/").content.decode()


def test_a_running_session_is_shown_on_the_run_page(suite, client) -> None:
    run = factories.make_run(suite=suite)
    attempt = factories.make_attempt(result=run.results.all()[0], status="running")
    AgentSession.objects.create(
        result=attempt.result,
        attempt=attempt,
        agent="a",
        started_at=factories.NOON,
        checks=3,
        tail="── text\nI try <b>",
    )
    text = client.get(f"/run/{run.pk}/progress/").content.decode()
    assert "3 versions checked" in text
    assert "I try &lt;b&gt;" in text
    attempt.status = "queued"
    attempt.lease_until = attempt.started_at = None
    attempt.save()
    assert "Running now" not in client.get(f"/run/{run.pk}/progress/").content.decode()
    assert "lost" in client.get(f"/run/{run.pk}/").content.decode()


def test_the_whole_transcript_is_a_file_that_no_terminal_acts_on(result, client) -> None:
    entries = (
        TranscriptEntry("text", "red \x1b[31m and sk-" + "a" * 20),
        TranscriptEntry("tool_result", "<script>", failed=True),
    )
    factories.make_session(result, transcript=entries)
    response = client.get(f"/result/{result.pk}/transcript.txt")
    assert response["Content-Disposition"].startswith("attachment")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    text = response.content.decode()
    assert "\x1b" not in text
    assert "sk-aaaa" not in text
    assert "── tool result (failed)\n<script>" in text
    assert client.get(f"/result/{result.pk}/prompt.txt").content == b"# 1. Task\n\nMake it faster.\n"
    assert json.loads(client.get(f"/result/{result.pk}/session.json").content)["agent"] == "chat_loop"


def test_rows_of_sessions_and_versions_are_public_with_their_result(result, client) -> None:
    factories.make_session(result)
    draft = factories.make_run(suite=result.run.suite, status="passed")
    factories.make_session(draft.results.all()[0])
    [row] = client.get("/api/v1/rows/sessions/").json()["rows"]
    assert (row["result"], row["output_tokens"], row["run_here"], row["cost_source"]) == (
        *(result.pk, 2000, False, "prices"),
    )
    versions = client.get(f"/api/v1/rows/iterations/?result={result.pk}").json()["rows"]
    assert [(one["number"], one["status"]) for one in versions] == [(1, "build_failed"), (2, "passed")]


def test_a_diff_is_read_with_its_line_numbers() -> None:
    shown = parsed(DIFF)
    assert (shown.added, shown.removed) == (2, 1)
    assert [(line.kind, line.old, line.new) for line in shown.lines] == [
        ("gap", None, None),
        ("removed", 1, None),
        ("added", None, 1),
        ("added", None, 2),
        ("same", 2, 3),
    ]
    assert parsed("").is_empty
    assert labels_of(parsed("")) == ("unchanged",)


def test_a_truncated_diff_says_so() -> None:
    assert parsed("… 500 characters left out …\n").lines[0].text == "… 500 characters left out …"


@pytest.mark.parametrize(
    ("amount", "text"), [(0.0, "0.00"), (0.005, "0.0050"), (12.3, "12.30"), (1234.5, "1,234.50"), (1e-6, "< 0.0001")]
)
def test_money_has_sensible_digits(amount: float, text: str) -> None:
    assert usd(amount) == f"{text}\u00a0USD"
