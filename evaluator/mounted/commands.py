"""Mounted tasks on the command line: lists which of them run here, and evaluates one, also on held-out shapes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evaluator.backends import get_backend
from evaluator.mounted.checkout import load_mounted, own_candidate
from evaluator.mounted.evaluation import ScriptEvaluator
from evaluator.mounted.held_out import write_held_out
from evaluator.mounted.obstacles import obstacles
from evaluator.records.record import Record
from evaluator.tasks.candidate import read_candidate
from evaluator.unseen.injections import read_held_out
from evaluator.wording import counted


def list_tasks(folder: Path) -> None:
    found = list[str | None]()
    for task_id, problem in obstacles(folder, get_backend("auto")):
        sys.stdout.write(f"{task_id:60} {f'cannot run here: {problem}' if problem else 'runs here'}\n")
        found.append(problem)
    sys.stdout.write(f"{found.count(None)} of {counted(len(found), 'task')} run here\n")


def evaluate_mounted(options: argparse.Namespace) -> Record:
    """Evaluate a candidate; a record of held-out shapes is written beside the one that `--out` names."""
    task = load_mounted(options.tasks, options.task)
    if options.baseline:
        candidate = own_candidate(task)
    else:
        candidate = read_candidate(options.candidate, task, ignore_extra=options.ignore_extra)
    held_out = read_held_out(options.held_out, task.category, task.files) if options.held_out else None
    evaluator = ScriptEvaluator(
        get_backend(options.backend), options.sandbox, lambda line: sys.stderr.write(f"{line}\n")
    )
    record = evaluator.evaluate(task, candidate, uploaded=options.uploaded)
    if held_out:
        path = options.out.with_suffix(".held_out.json")
        unseen = evaluator.evaluate_held_out(task, candidate, held_out, uploaded=options.uploaded)
        write_held_out(unseen, path)
        sys.stdout.write(f"{unseen.text}\nheld-out record: {path}\n\n")
    return record
