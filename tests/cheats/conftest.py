"""The auditors of a session: what one test has run, all others read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluator.backends import present
from tests.cheats.auditor import Auditor
from tests.cheats.ledger import Ledger


@pytest.fixture(scope="session")
def auditor(ledger: Ledger) -> Iterator[Auditor]:
    with Auditor(ledger) as auditor:
        yield auditor


@pytest.fixture(scope="session")
def gpu_auditor(ledger: Ledger) -> Iterator[Auditor]:
    if (name := present()[0]) == "cpu":
        pytest.skip("needs a GPU that torch sees")
    with Auditor(ledger, name) as auditor:
        yield auditor
