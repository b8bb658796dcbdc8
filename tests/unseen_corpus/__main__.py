"""`python -m tests.unseen_corpus [BACKEND]`: run the corpus of faults and print fault × config category."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

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
    main(sys.argv[1] if len(sys.argv) > 1 else "cpu")
