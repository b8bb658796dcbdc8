"""`python -m tests.cheats [BACKEND]`: run all that this backend can run and print the table."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from evaluator.backends import KNOWN
from evaluator.judge.nulls import nulls_that_pass
from evaluator.tasks.reader import load_task, task_ids
from tests.cheats.auditor import Auditor
from tests.cheats.corpus import cheats, honest
from tests.cheats.ledger import Ledger
from tests.cheats.table import lines


def main(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder, Auditor(Ledger(Path(folder)), name) as auditor:
        for entry in filter(auditor.can_run, [*cheats(), *honest()]):
            auditor.audit(entry)
        for task_id in task_ids():
            auditor.ledger.once("nulls", task_id, lambda task_id=task_id: nulls_that_pass(load_task(task_id)))
        print("\n".join(lines(auditor.ledger)))  # noqa: T201


if __name__ == "__main__":
    if len(sys.argv) > 2 or (sys.argv[1:] and sys.argv[1] not in KNOWN):
        sys.exit(f"usage: python -m tests.cheats [BACKEND], one of {', '.join(KNOWN)}")
    main(sys.argv[1] if len(sys.argv) > 1 else "cpu")
