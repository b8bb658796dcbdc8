"""Fixtures shared by all tests: tiny tasks, and one Evaluator a session for tests through the whole pipeline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

from evaluator.backends import KNOWN, get_backend
from evaluator.pipeline import Evaluator
from evaluator.tasks.reader import read_task
from evaluator.tasks.spec import TaskSpec
from tests.chaos import table as chaos_table
from tests.cheats import table
from tests.cheats.auditor import Frugal
from tests.cheats.ledger import Ledger, ledger_of
from tests.native import NativeBackend
from tests.unseen_corpus import table as unseen_table

TESTS = Path(__file__).parent
pytest_plugins = ["tests.site_fixtures"] if find_spec("django") else []


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
def native_evaluator() -> Iterator[Evaluator]:
    with Frugal(NativeBackend()) as evaluator:
        yield evaluator


@pytest.fixture(scope="session")
def ledger(request: pytest.FixtureRequest) -> Ledger:
    return ledger_of(request.config)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what takes minutes first: at the end one of two workers would wait for the other."""
    items.sort(key=lambda item: item.path.name != "test_bundled_tasks.py")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    ledger = ledger_of(config)
    unseen = [line for backend in KNOWN for line in unseen_table.lines(ledger, backend)]
    for title, found in {
        "what the gates caught": list(table.lines(ledger)),
        "what unseen cases showed": unseen,
        "what became of chaos": list(chaos_table.lines(ledger)),
    }.items():
        if found:
            terminalreporter.section(title)
            terminalreporter.write_line("\n".join(found))
