"""`python -m tests.unseen_corpus [BACKEND]`: run the corpus of faults and print fault × config category."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from evaluator.backends import KNOWN
from tests.cheats.ledger import Ledger
from tests.unseen_corpus.auditor import UnseenAuditor
from tests.unseen_corpus.corpus import TASKS, entries
from tests.unseen_corpus.table import lines


def main(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder, UnseenAuditor(Ledger(Path(folder)), name) as auditor:
        for entry in entries():
            auditor.entry(entry)
        for task in TASKS:
            auditor.expert(task)
        print("\n".join(lines(auditor.ledger, name)))  # noqa: T201


if __name__ == "__main__":
    if len(sys.argv) > 2 or (sys.argv[1:] and sys.argv[1] not in KNOWN):
        sys.exit(f"usage: python -m tests.unseen_corpus [BACKEND], one of {', '.join(KNOWN)}")
    main(sys.argv[1] if len(sys.argv) > 1 else "cpu")
