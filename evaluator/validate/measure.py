"""Measure tasks on a device: their own candidates' right answers and times, as findings for tasks/measured.json."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Literal

from evaluator import VERSION
from evaluator.errors import BaselineError, EvaluatorError
from evaluator.gates.context import release
from evaluator.gates.quick import CaseLook, Look
from evaluator.host_paths import without_host_paths
from evaluator.judge.timing.session import SIDES, SideName
from evaluator.pipeline import Evaluator
from evaluator.records.calibration import card_name, device_of, software_of
from evaluator.sandbox import WorkerError
from evaluator.tasks.measured import (
    DIGEST_LENGTH,
    Measured,
    add_measured,
    case_findings,
    is_launch_bound,
    is_of,
    key_of,
    read_measured,
)
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import TaskSpec
from evaluator.thresholds import REFERENCE_E0_NS

Progress = Callable[[str], object]
Skip = Literal["class", "card"] | None
MAX_TEXT = 400  # characters of a failure


def measure_all(
    ids: Sequence[str], evaluator: Evaluator, path: Path, sessions: int, progress: Progress, *, skip: Skip = None
) -> bool:
    """Measure each task and add what was found to the file at once; return whether all are right.

    `skip`: leave out what a card of this class, or this card, has measured. A task that fails does not stop the others.
    """
    all_right = True
    read_measured(path)  # a malformed file is found before minutes of work, not after them
    for number, task_id in enumerate(ids, 1):
        task = load_task(task_id)
        key = key_of(task.id, evaluator.backend.device_class)
        cards = read_measured(path).get(key, ()) if skip else ()
        found = _known([one for one in cards if skip == "class" or one.card == _card(evaluator)], task)
        spent = "measured before"
        if found is None:
            found, spent = _measured(task, evaluator, sessions)
            if found is not None:
                add_measured({key: (found,)}, path)
        told = summary(task, found, evaluator.backend.device_class) if found is not None else "NOT MEASURED"
        progress(f"{number} of {len(ids)}: {task_id} {told}; {spent}")
        all_right &= found is not None and found.failed is None and not found.wrong
    return all_right


def _known(entries: Sequence[Measured], task: TaskSpec) -> Measured | None:
    """Return the first that is of the task as it is, made with this version and to the end, without anything wrong.

    What was wrong may be the right candidate, which the task's digest does not cover: it is measured again.
    """
    finished = (one for one in entries if one.evaluator == VERSION and one.failed is None and not one.wrong)
    done = (one for one in finished if is_of(one, task))
    return next(done, None)


def _measured(task: TaskSpec, evaluator: Evaluator, sessions: int) -> tuple[Measured | None, str]:
    """Measure one task; return what was found, nothing after a fault of this host, and where the time went."""
    begin, look, failed = monotonic(), Look(0.0, (), {}), None
    try:
        look = evaluator.look(task, sessions)
    except (BaselineError, WorkerError) as error:  # of the task's own sources
        failed = _text(error)
    except (EvaluatorError, RuntimeError, MemoryError) as error:
        return None, f"{_text(error)}; {monotonic() - begin:.1f} s"
    finally:
        if not look.cases:
            gc.collect()  # an exception has held the tensors of its frames
            release(evaluator.backend)
    parts = ", ".join(f"{name} {spent:.1f}" for name, spent in look.seconds.items() if spent >= 0.05)
    seconds = round(monotonic() - begin, 1)
    return replace(_finding(task, evaluator, sessions, look, failed), seconds=seconds), f"{seconds} s ({parts})"


def _text(error: Exception) -> str:
    return without_host_paths(" ".join(str(error).split()))[-MAX_TEXT:]


def _finding(task: TaskSpec, evaluator: Evaluator, sessions: int, look: Look, failed: str | None) -> Measured:
    sides = SIDES if task.solution else SIDES[:1]
    return Measured(
        digest=task.digest[:DIGEST_LENGTH],
        card=_card(evaluator),
        software=software_of(evaluator.backend.host()),
        evaluator=VERSION,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        sessions=sessions,
        e0_us=_rounded(look.e0_ns),
        times_us={one.case.id: times for one in look.cases if (times := _times(one, sides))},
        wrong={one.case.id: why for one in look.cases if (why := _why(one, sides))},
        failed=failed,
    )


def _why(one: CaseLook, sides: Sequence[SideName]) -> str:
    return "; ".join(f"{side}: {one.wrong[side]}" for side in sides if side in one.wrong)


def _times(one: CaseLook, sides: Sequence[SideName]) -> tuple[float, ...]:
    found = [one.time_ns(name) for name in sides]
    return tuple(_rounded(time_ns) for time_ns in found if time_ns is not None)


def _rounded(time_ns: float) -> float:
    """Return µs with four digits: a quick look shows no more."""
    return float(f"{time_ns / 1e3:.4g}")


def summary(task: TaskSpec, found: Measured, device_class: str) -> str:
    """Say in one line what was found."""
    cases = case_findings([found], task, device_class)
    eligible = sum(case.eligible for case in cases)
    words = [f"{eligible} of {len(cases)} full cases eligible"]
    if device_class not in REFERENCE_E0_NS:
        words.append(f"{device_class} has no frozen event pair")
    elif is_launch_bound(cases):
        words.append("most of its sizes are bound by launches")
    if found.failed:
        words.insert(0, f"FAILED: {found.failed}")
    words += [f"WRONG on {case}: {why}" for case, why in found.wrong.items()]
    times = " ".join("/".join(f"{time:g}" for time in times) for times in found.times_us.values())
    return "; ".join([*words, f"us {times}" if times else "no times"])


def _card(evaluator: Evaluator) -> str:
    host = evaluator.backend.host()
    return card_name(device_of(host.device_class, host.facts))
