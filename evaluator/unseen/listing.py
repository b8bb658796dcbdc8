"""Lists unseen cases as a table or as JSON, with their differences from the nearest seen case."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from evaluator.tasks.spec import Profile, TaskSpec
from evaluator.unseen.cases import UnseenCase
from evaluator.unseen.contract import changes, contract_of, memory_bytes
from evaluator.unseen.generate import GENERATOR_VERSION, core_cases
from evaluator.unseen.imported import read_imported
from evaluator.unseen.rounds import read_round, secret_digest


def listing(
    task: TaskSpec,
    profile: Profile,
    *,
    secret: str | None = None,
    revealed: str | None = None,
    file: Path | None = None,
    as_json: bool = False,
) -> str:
    """The output of `python -m evaluator unseen`: the cases of a secret, of a revealed round, or of a file.

    Raises:
        UsageError, TaskError: as read_round, core_cases and read_imported.
    """
    if file is not None:
        cases, generator, digest = read_imported(file, task), None, None
    else:
        known = read_round(revealed).secret if revealed else (secret or "").encode()
        cases, generator, digest = core_cases(task, known, profile), GENERATOR_VERSION, secret_digest(known)
    return cases_json(task, cases, generator, digest) if as_json else cases_text(task, cases)


def cases_text(task: TaskSpec, cases: Sequence[UnseenCase]) -> str:
    """A table with one line per case: config category, profile, changes from the nearest seen case, and id."""
    rows = [("category", "profile", "nearest seen case → this one", "case")]
    for unseen in cases:
        _, changed = changes(contract_of(task, unseen.case.profile), unseen.case)
        text = ", ".join(f"{name} {before}→{here}" for name, before, here in changed)
        rows.append((unseen.category, unseen.case.profile, text, unseen.case.id))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join("  ".join([*map(str.ljust, row[:3], widths), row[3]]) for row in rows)


def cases_json(task: TaskSpec, cases: Sequence[UnseenCase], generator: str | None, round_digest: str | None) -> str:
    """The cases as JSON; generator and round are null if the cases are from a file."""
    whole = {"task": task.id, "digest": task.digest, "generator": generator, "round": round_digest}
    return json.dumps({**whole, "cases": [_plain(task, unseen) for unseen in cases]}, indent=2)


def _plain(task: TaskSpec, unseen: UnseenCase) -> dict[str, object]:
    case = unseen.case
    nearest, changed = changes(contract_of(task, case.profile), case)
    return {
        "id": case.id,
        "category": unseen.category,
        "origin": unseen.origin,
        "profile": case.profile,
        "axes": dict(case.axes),
        "memory_bytes": memory_bytes(task, case),
        "nearest_seen": nearest.id,
        "changes": {name: {"seen": before, "unseen": here} for name, before, here in changed},
    }
