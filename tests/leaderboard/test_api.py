"""JSON and CSV: strict, complete, and the same numbers as the page."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import struct

import pytest
from drf_spectacular.validation import validate_schema

from leaderboard import drawings
from leaderboard.drawings import ZOOM, png_of
from leaderboard.encoding import encode
from leaderboard.queries.public_rows import COLLECTIONS
from leaderboard.routes import ROUTES
from leaderboard.tables import json_rows
from runs.loading.published import load_published
from runs.models import Attempt, Result
from tests import factories

BOARD = "/board/smoke/all/cpu-x86_64/"
BOARD_PATTERN = "/board/{suite}/{category}/{device}/"


def strict(text: bytes):
    """JSON as RFC 8259 has it: NaN and Infinity are errors."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def submitted(run) -> int:
    """A submission with everything that its page shows, as if it had brought the run."""
    submission = factories.make_submission(run=run, submitter=factories.make_user())
    factories.make_verification(run, ["reproduced", "failed"])
    factories.make_audit(run.results.filter(published_attempt__isnull=False).first())
    factories.make_review(submission, decision="Another agent.", closed_at=factories.NOON, closed_by_name="admin")
    return submission.pk


@pytest.fixture
def addresses(published, suite):
    """One address for every route."""
    load_published()
    factories.make_host()
    round = factories.make_round(suite=suite)
    run = published("wrong_output", "errored", None, "passed", "build_failed", "passed", round=round)
    for attempt in Attempt.objects.exclude(status="errored"):
        factories.make_unseen(attempt, ("edge", True, True), ("alignment", True, attempt.status == "passed"))
    factories.make_attempt(result=run.results.first(), status="queued")
    task = suite.tasks.first()
    given = {
        "home": "/",
        "board": BOARD,
        "history": BOARD.replace("board", "history"),
        "distribution": BOARD.replace("board", "distribution"),
        "attribution": BOARD.replace("board", "attribution"),
        "efficiency": BOARD.replace("board", "efficiency"),
        "quality": BOARD.replace("board", "quality"),
        "compare": BOARD.replace("board", "compare"),
        "generalizations": "/generalization/",
        "generalization": f"/generalization/smoke/all/cpu-x86_64/?round={round.slug}",
        "tasks": "/tasks/",
        "task": f"/task/{task.path}/",
        "agents": "/agents/",
        "agent": f"/agent/{run.configuration.agent.slug}/",
        "model": f"/model/{run.configuration.model.slug}/",
        "configuration": f"/configuration/{run.configuration.slug}/",
        "search": f"/search/?q={task.digest[:12]}",
        "runs": "/runs/",
        "run": f"/run/{run.pk}/",
        "result": f"/result/{run.results.first().pk}/",
        "published": "/published/",
        "published_table": "/published/kernelbenchx-overall/",
        "agentkernelarena": "/agentkernelarena/",
        "agentkernelarena_paper": "/agentkernelarena/paper/",
        "kernelbench_x": "/kernelbench-x/",
        "kernelbench_x_paper": "/kernelbench-x/paper/",
        "claims": "/claims/",
        "analysis": "/analysis/",
        "failures": "/failures/",
        "behaviour": "/behaviour/",
        "iterations": "/iterations/",
        "trajectory": BOARD.replace("board", "iterations"),
        "pairs": "/pairs/",
        "pair": f"/pairs/version/{session_pair(run.results.last())}/",
        "claimed_pair": f"/pairs/claim/{factories.make_claimed_pair().pk}/",
        "noise": "/noise/",
        "portability": f"/portability/?configuration={run.configuration.slug}",
        "versions": "/versions/",
        "cost": "/cost/",
        "submit": "/submit/",
        "submission": f"/submission/{submitted(run)}/",
        "audits": "/audits/",
        "queue": "/queue/",
        "hosts": "/hosts/",
        "attempts": f"/result/{run.results.first().pk}/attempts/",
        "transcript": f"/result/{run.results.last().pk}/session/",
        "metrics": "/metrics/",
        "peaks": "/peaks/",
        "data": "/data/",
    }
    assert set(given) == {route.name for route in ROUTES}
    return given


def session_pair(result: Result) -> int:
    """The id of the later version of a session's only pair."""
    return factories.make_session(result).iterations.get(number=2).pk


def test_every_page_has_strict_json_of_the_same_object(addresses, client) -> None:
    for name, address in addresses.items():
        page = client.get(address).context["page"]
        answer = client.get(f"/api/v1{address}")
        assert answer.status_code == 200, name
        assert answer["Content-Type"] == "application/json"
        data, expected = strict(answer.content), json.loads(json.dumps(encode(page)))
        assert data == expected, name


def test_every_table_has_csv_of_the_same_rows(addresses, client) -> None:
    seen = 0
    for name, address in addresses.items():
        page = client.get(address).context["page"]
        for slug, table in page.tables.items():
            path, mark, query = address.partition("?")
            answer = client.get(f"/api/v1{path}{slug}.csv{mark}{query}")
            assert answer["Content-Disposition"] == f'attachment; filename="{name}-{slug}.csv"'
            rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
            assert len(rows) == table.size, (name, slug)
            seen += 1
    assert seen > 15


def test_every_table_has_json_of_the_same_values(addresses, client) -> None:
    for name, address in addresses.items():
        path, mark, query = address.partition("?")
        for slug, table in client.get(address).context["page"].tables.items():
            rows = strict(client.get(f"/api/v1{path}{slug}.json{mark}{query}").content)
            assert rows == json.loads(json.dumps(encode(json_rows(table)))), (name, slug)
            assert len(rows) == table.size


def test_every_chart_has_a_drawing_and_an_explore_page(published, suite, client) -> None:
    run = published(round=factories.make_round(suite=suite))
    for address in (BOARD, f"/result/{run.results.first().pk}/", BOARD.replace("board", "generalization")):
        for slug in client.get(address).context["page"].charts:
            drawing = client.get(f"/api/v1{address}{slug}.svg")
            assert drawing["Content-Type"] == "image/svg+xml"
            assert b"prefers-color-scheme: dark" in drawing.content
            explore = client.get(f"{address}explore/{slug}/")
            assert b"plotly" in explore.content
            assert b"plotly" not in client.get(address).content


def test_a_chart_is_a_png_of_the_same_drawing(published, client) -> None:
    published()
    answer = client.get(f"/api/v1{BOARD}rates.png")
    assert answer["Content-Type"] == "image/png"
    assert answer["Content-Disposition"] == 'attachment; filename="board-rates.png"'
    height = re.search(rb'height="([\d.]+)"', client.get(f"/api/v1{BOARD}rates.svg").content)
    assert height
    width_px, height_px = struct.unpack(">II", answer.content[16:24])
    assert (width_px, height_px) == (ZOOM * 660, round(ZOOM * float(height[1])))
    blank = png_of('<svg xmlns="http://www.w3.org/2000/svg" width="660" height="100"></svg>')
    assert len(answer.content) > 4 * len(blank)


def test_a_chart_says_suite_device_protocol_day_and_address(published, client) -> None:
    published()
    drawing = client.get(f"/api/v1{BOARD}rates.svg?as_of=2026-11-28").content.decode()
    assert "Suite smoke@1, All categories, x86-64 CPU (cpu-x86_64), protocol arena-" in drawing
    assert "as of 2026-11-28" in drawing
    assert f"http://testserver{BOARD}?as_of=2026-11-28" in drawing


def test_without_letters_there_is_no_png_but_a_reason(published, client, monkeypatch) -> None:
    published()
    monkeypatch.setattr("leaderboard.drawings.FONTS", ())
    monkeypatch.setattr("leaderboard.drawings._font_files", drawings._font_files.__wrapped__)
    answer = client.get(f"/api/v1{BOARD}rates.png")
    assert answer.status_code == answer.json()["status"] == 503
    assert "fonts-liberation" in answer.json()["detail"]


def test_letters_and_colours_of_a_chart_reach_its_png() -> None:
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="660" height="100"><style>.chart {{ --ink: {}; }}'
    )
    text += ' .chart text {{ fill: var(--ink); }}</style><text x="20" y="50" font-size="40">{}</text></svg>'
    drawn = [png_of(text.format(colour, words)) for colour, words in (("#000", "a"), ("#f00", "a"), ("#000", "b"))]
    assert len(set(drawn)) == 3


def test_csv_has_the_numbers_of_the_json(published, entry, client) -> None:
    published("wrong_output", *["passed"] * 5, configuration=entry("One"))
    [entry_json] = client.get(f"/api/v1{BOARD}").json()["entries"]
    [row] = csv.DictReader(io.StringIO(client.get(f"/api/v1{BOARD}entries.csv").getvalue().decode()))
    correctness = entry_json["correctness"]
    assert float(row["correctness"]) == correctness["share"] == 5 / 6
    assert float(row["correctness_low"]) == correctness["interval"]["low"]
    assert (row["rank"], row["correctness_count"], row["correctness_of"]) == ("1", "5", "6")


def test_an_entry_named_like_a_formula_is_defused(published, entry, client) -> None:
    published(configuration=entry("=HYPERLINK(1)"))
    assert "'=HYPERLINK(1)" in client.get(f"/api/v1{BOARD}entries.csv").getvalue().decode()


def test_a_number_that_is_none_is_refused_not_written() -> None:
    with pytest.raises(ValueError, match="not a JSON number"):
        encode({"a": math.nan})


def test_the_schema_is_valid_and_says_what_pages_hold(db, client) -> None:
    schema = client.get("/api/v1/schema.json").json()
    validate_schema(schema)
    board = schema["components"]["schemas"]["BoardPage"]["properties"]
    assert set(board) >= {"suite", "entries", "results", "refusals"}
    assert "tables" not in board
    assert len([path for path in schema["paths"] if not path.endswith("schema.json")]) == len(ROUTES) + len(COLLECTIONS)
    [sort] = [one for one in schema["paths"][f"/api/v1{BOARD_PATTERN}"]["get"]["parameters"] if one["name"] == "sort"]
    assert sort["in"] == "query"


def test_responses_match_the_schema(addresses, client) -> None:
    from jsonschema import Draft202012Validator

    schema = client.get("/api/v1/schema.json").json()
    for route in ROUTES:
        name = route.page.__name__
        data = client.get(f"/api/v1{addresses[route.name]}").json()
        validator = Draft202012Validator(
            _nullable({"$ref": f"#/components/schemas/{name}"} | {"components": schema["components"]})
        )
        assert [error.message[:200] for error in validator.iter_errors(data)] == [], route.name


def test_unknown_things_are_not_found_in_json(db, client) -> None:
    answer = client.get("/api/v1/run/999/")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    for address in ("/api/v1/runs/nothing.csv", "/api/v1/runs/nothing.png", "/api/v1/nothing"):
        answer = client.get(address)
        assert answer.status_code == answer.json()["status"] == 404
        assert answer.json()["detail"].startswith("Not found")


def test_the_api_only_reads(db, client) -> None:
    for address in ("/api/v1/runs/", "/api/v1/runs/runs.csv"):
        answer = client.post(address)
        assert (answer.status_code, answer["Content-Type"]) == (405, "application/problem+json")
        assert "GET" in answer["Allow"]


def _nullable(node):
    """OpenAPI 3.0 writes nullable: true where JSON Schema has a type null."""
    if isinstance(node, list):
        return [_nullable(item) for item in node]
    if not isinstance(node, dict):
        return node
    changed = {key: _nullable(value) for key, value in node.items()}
    return {"anyOf": [changed, {"type": "null"}]} if node.get("nullable") is True else changed
