"""Fixtures shared by all tests: tiny tasks, and one Evaluator a session for tests through the whole pipeline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client

from evaluator.backends import KNOWN, get_backend
from evaluator.pipeline import Evaluator
from evaluator.taskreader import read_task
from evaluator.taskspec import TaskSpec
from tests.cheats import table
from tests.cheats.ledger import Ledger, ledger_of
from tests.unseen_corpus import table as unseen_table

TESTS = Path(__file__).parent


def lacking(reason: str) -> NoReturn:
    """A tool that a test needs is not there: elsewhere a skip, in CI, whose set-up installs it, a failure."""
    if os.environ.get("CI"):
        pytest.fail(f"CI has every tool, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def tiny_task() -> Callable[[str], TaskSpec]:
    """tiny_task("hip2hip") → the smallest task of that category."""

    def read(category: str) -> TaskSpec:
        return read_task(TESTS / "tiny" / category / "tests" / "double", f"{category}/tests/double")

    return read


@pytest.fixture(scope="session")
def evaluator() -> Iterator[Evaluator]:
    with Evaluator(get_backend("cpu")) as evaluator:
        yield evaluator


@pytest.fixture(autouse=True)
def nothing_is_kept(request: pytest.FixtureRequest) -> None:
    """Before a test that commits: its database is a new one, whose counter of changes begins again."""
    if {"transactional_db", "live_server"} & set(request.fixturenames):
        cache.clear()


@pytest.fixture(autouse=True)
def whoever_is_let_in_has_shown_a_second_factor(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Client.force_login stands for a whole login; one through the form is asked for its code, as in life."""
    if "django_db" not in request.keywords and not {"db", "client"} & set(request.fixturenames):
        return
    from tests.accounts import show_second_factor  # Django's models are there only now

    forced = Client.force_login

    def force_login(self: Client, user: Any, backend: str | None = None) -> None:
        forced(self, user, backend)
        show_second_factor(self, user)

    monkeypatch.setattr(Client, "force_login", force_login)


@pytest.fixture(autouse=True)
def guards_let_the_database_be_emptied(request: pytest.FixtureRequest) -> Iterator[None]:
    """After a test that commits, pytest-django empties every table, and Django then puts the guards back."""
    has_database = "_django_db_helper" in request.fixturenames
    if has_database:
        request.getfixturevalue("_django_db_helper")  # first, so that it is emptied last
    yield
    if has_database and not connection.in_atomic_block:
        from runs import guards  # Django's models are there only now

        guards.drop()


@pytest.fixture(scope="session")
def ledger(request: pytest.FixtureRequest) -> Ledger:
    return ledger_of(request.config)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    ledger = ledger_of(config)
    unseen = [line for backend in KNOWN for line in unseen_table.lines(ledger, backend)]
    for title, found in {
        "what the gates caught": list(table.lines(ledger)),
        "what unseen cases showed": unseen,
    }.items():
        if found:
            terminalreporter.section(title)
            terminalreporter.write_line("\n".join(found))
