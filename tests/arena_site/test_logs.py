"""Log lines in both formats: their contents, and that secrets are redacted."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from time import process_time

import pytest
from django.conf import settings
from django.test import Client

from arena_site.monitoring.logs import MOST_CHARACTERS, JsonLines, TextLines
from evaluator.secrets import REDACTED
from runs.log_context import about

PLANTED = "pl4nted-Qx7_secretvalue"


def line(message: str, *arguments: object, error: BaseException | None = None, **ids: object) -> logging.LogRecord:
    exc_info = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord("runs.worker.evaluation", logging.WARNING, "f.py", 1, message, arguments, exc_info)
    record.ids = ids
    return record


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """The lines of arena.request, as JSON."""
    written: list[str] = []
    handler = logging.Handler()
    handler.setFormatter(JsonLines())
    handler.emit = lambda record: written.append(handler.format(record))  # type: ignore[method-assign]
    logger = logging.getLogger("arena.request")
    logger.addHandler(handler)
    yield written
    logger.removeHandler(handler)


def test_a_json_line_has_the_ids_of_its_context() -> None:
    with about(run=3, result=14), about(attempt=15):
        said = json.loads(JsonLines().format(line("%d of %d", 2, 3, took_ms=1.5)))
    assert said.pop("at").endswith("Z")
    ids = {"run": 3, "result": 14, "attempt": 15, "took_ms": 1.5}
    assert said == {"level": "WARNING", "logger": "runs.worker.evaluation", "message": "2 of 3"} | ids


def test_a_text_line_has_the_same_ids() -> None:
    with about(run=3):
        said = TextLines().format(line("a sentence", request="abc"))
    assert said.split(" ", 1)[1] == "WARNING runs.worker.evaluation: a sentence [run=3 request=abc]"
    assert "[" not in TextLines().format(line("a sentence"))


@pytest.mark.parametrize("form", [TextLines, JsonLines])
def test_an_exceptions_traceback_is_logged_without_the_secret_in_it(form: type[TextLines]) -> None:
    try:
        raise RuntimeError(f"password={PLANTED}")
    except RuntimeError as error:
        said = form().format(line("it failed", error=error))
    assert "RuntimeError" in said
    assert "test_logs.py" in said
    assert PLANTED not in said


def test_every_secret_of_the_process_is_redacted_by_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_AGENT_KEY", PLANTED)
    monkeypatch.setitem(settings.DATABASES["default"], "PASSWORD", "d4tabase-Qx7")
    said = TextLines().format(line("%s %s %s", settings.SECRET_KEY, PLANTED, "d4tabase-Qx7"))
    assert said.endswith(f"{REDACTED} {REDACTED} {REDACTED}")


def test_a_long_line_is_cut_and_takes_no_time() -> None:
    begin = process_time()
    for text in ("token" * 10**5, "a" * 10**6, "x://" * 10**5, '"' * 10**6, "password " * 10**5, "eyJ" * 10**5):
        assert len(TextLines().format(line("%s", text))) <= MOST_CHARACTERS
    assert process_time() - begin < 60, "0.6 s, and hours where a pattern goes back and forth"
    at_the_cut = "x" * (2 * MOST_CHARACTERS - 100) + f" password={PLANTED * 9}"
    assert PLANTED[:8] not in TextLines().format(line("%s", at_the_cut))


@pytest.mark.django_db
def test_a_request_has_an_id_and_one_log_line_with_its_ids(lines: list[str]) -> None:
    response = Client().get("/run/77/?token=planted", headers={"X-Request-ID": "from-the-proxy-1"})
    assert response["X-Request-ID"] == "from-the-proxy-1"
    (said,) = map(json.loads, lines)
    assert (said["message"], said["run"], said["request"]) == ("GET /run/77/ 404", 77, "from-the-proxy-1")
    assert said["took_ms"] > 0


@pytest.mark.django_db
@pytest.mark.parametrize("given", ["", "short", "a b c d e f g h", "x" * 65, "line\nbreak-1234"])
def test_an_invalid_id_is_replaced(given: str) -> None:
    assert len(Client().get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"]) == 32


@pytest.mark.django_db
def test_a_url_cannot_add_a_log_line(lines: list[str]) -> None:
    Client().get("/planted%0AERROR%20forged")
    assert json.loads(lines[0])["message"] == "GET /planted%0AERROR%20forged 404"
