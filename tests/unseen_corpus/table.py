"""The corpus's outcome as text: fault × config category, for each backend that it was run on."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.unseen.cases import CONFIG_CATEGORIES
from tests.cheats.ledger import Ledger
from tests.unseen_corpus.corpus import TASKS, entries

LEDGER = "unseen-"  # and the backend's name
COLUMNS = ("seen", *CONFIG_CATEGORIES)
WORDS = {
    "both_pass": "pass",
    "opt_regression": "regression",
    "both_fail": "both fail",
    "opt_improvement": "improvement",
    "evaluation_error": "error",
}


def lines(ledger: Ledger, backend: str) -> Iterator[str]:
    """Nothing where none was run."""
    found = ledger.entries(LEDGER + backend)
    if not found:
        return
    yield f"{f'unseen, {backend}':<34} " + " ".join(f"{column:>11}" for column in COLUMNS)
    faults = {entry.name: f"{entry.header['fault']} ({entry.header['task']})" for entry in entries()}
    for name, title in (faults | {f"expert-{task}": f"expert ({task})" for task in TASKS}).items():
        if name in found:
            yield f"{title:<34} " + " ".join(f"{_cell(found[name].get(column, [])):>11}" for column in COLUMNS)


def _cell(cases: list[list[str]]) -> str:
    """The quadrant that most deserves a look; they stand in its order."""
    order = ("evaluation_error", "opt_regression", "both_fail", "opt_improvement", "both_pass")
    quadrants = {quadrant for quadrant, _ in cases}
    return next((WORDS[quadrant] for quadrant in order if quadrant in quadrants), "-")
