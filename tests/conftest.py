"""Fixtures shared by all tests: tiny tasks, and one Evaluator a session for tests through the whole pipeline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from evaluator.backends import get_backend
from evaluator.pipeline import Evaluator
from evaluator.taskreader import read_task
from evaluator.taskspec import TaskSpec
from tests.cheats import table
from tests.cheats.ledger import Ledger, ledger_of

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


@pytest.fixture(scope="session")
def ledger(request: pytest.FixtureRequest) -> Ledger:
    return ledger_of(request.config)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if found := list(table.lines(ledger_of(config))):
        terminalreporter.section("what the gates caught")
        terminalreporter.write_line("\n".join(found))
