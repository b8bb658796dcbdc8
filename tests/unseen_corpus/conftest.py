"""The auditor of a session: what one test has run, all others read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluator.backends import present
from tests.cheats.ledger import Ledger
from tests.unseen_corpus.auditor import UnseenAuditor


@pytest.fixture(scope="session")
def unseen_auditor(ledger: Ledger) -> Iterator[UnseenAuditor]:
    with UnseenAuditor(ledger) as auditor:
        yield auditor


@pytest.fixture(scope="session")
def gpu_unseen_auditor(ledger: Ledger) -> Iterator[UnseenAuditor]:
    if (name := present()[0]) == "cpu":
        pytest.skip("needs a GPU that torch sees")
    with UnseenAuditor(ledger, name) as auditor:
        yield auditor
