"""The demo: runs three reference agents on a suite, prints a leaderboard, and checks the expected statuses."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from evaluator.agents import DEMO_AGENTS
from evaluator.cli.board import board_text, quadrant_counts, seconds_text
from evaluator.cli.runfolder import TaskOutcome, run_suite
from evaluator.inside.excerpts import excerpt
from evaluator.pipeline import Evaluator
from evaluator.tasks.suites import TaskSuite

BAR_WIDTH = 30


def run_demo(suite: TaskSuite, evaluator: Evaluator, folder: Path, write: Callable[[str], object]) -> bool:
    """Run the agents of the demo on the suite; returns whether all results have the expected status."""
    bar = ProgressBar(len(suite.tasks) * len(DEMO_AGENTS))
    outcomes: dict[str, list[TaskOutcome]] = {}
    for agent in DEMO_AGENTS:
        outcomes[agent] = run_suite(suite, agent, evaluator, folder / agent, progress=bar.progress_of(agent))
    bar.end()
    records = {agent: [outcome.record for outcome in found] for agent, found in outcomes.items()}
    write(board_text(records, f"{suite.label} on {evaluator.backend.device_class}"))
    write("\nSeconds of each evaluation\n\n" + seconds_text(record for found in records.values() for record in found))
    wrong = [outcome for found in outcomes.values() for outcome in found if not outcome.as_expected]
    for outcome in wrong:
        record = outcome.record
        write(f"\n{record.task.id} by {record.candidate.label}: seen {record.status}; expected {outcome.expected}")
        write(f"  {record.message or ''}\n{excerpt(record.log, 4000)}")
    total = sum(map(len, outcomes.values()))
    write(f"\n{total - len(wrong)} of {total} results have the expected status. Records: {folder}")
    return not wrong


class ProgressBar:
    """Progress of a run: on a terminal one line that is rewritten, otherwise one line per finished evaluation."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.begin = total, 0, monotonic()
        self.live = sys.stderr.isatty()

    def progress_of(self, agent: str) -> Callable[[str, TaskOutcome | None], None]:
        return lambda task_id, outcome: self.show(f"{agent}: {task_id}", _words(outcome))

    def end(self) -> None:
        if self.live:
            sys.stderr.write("\n")

    def show(self, what: str, outcome: str | None) -> None:
        """Show that something begins, or how it ended."""
        self.done += outcome is not None
        filled = BAR_WIDTH * self.done // self.total
        bar, seconds = "#" * filled + "." * (BAR_WIDTH - filled), monotonic() - self.begin
        line = f"[{bar}] {self.done}/{self.total} {seconds:5.0f} s  {what} {outcome or 'running'}"
        if self.live:
            sys.stderr.write(f"\r\x1b[K{line}")
        elif outcome is not None:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()


def _words(outcome: TaskOutcome | None) -> str | None:
    if outcome is None:
        return None
    return outcome.record.status.value + (f"; unseen: {quadrant_counts(outcome.unseen)}" if outcome.unseen else "")
