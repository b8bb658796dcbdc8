"""The transition corpus of KernelBench-X: one line per task and pair of rounds, with code and outcome of both.

Each side becomes a claim of its round; a round that occurs in two lines gives one claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from evaluator.bundles import plausibility
from evaluator.bundles.kernelbenchx import outcomes
from evaluator.bundles.kernelbenchx.golden import SUITE
from evaluator.bundles.kernelbenchx.rows import is_time
from evaluator.bundles.parsed import DECLARABLE, ParsedBundle, ParsedClaim
from evaluator.bundles.reading import ABSENT, Reading
from evaluator.bundles.tasklists import tasks_of

NAME = "KernelBench-X corpus"
MARKS = "lines of JSON with task_id, transition, before and after"
KINDS = {
    "call_fail_to_pass": ("call_ok", False, True),
    "exe_fail_to_pass": ("exe_ok", False, True),
    "perf_ok_newly": ("perf_ok", False, True),
    "regression_exe": ("exe_ok", True, False),
    "regression_perf": ("perf_ok", True, False),
}
SIDES = (("before", "from_round"), ("after", "to_round"))


def recognises(reading: Reading) -> bool:
    return any(True for _ in _paths(reading))


def translate(reading: Reading) -> ParsedBundle:
    claims, known = dict[tuple[str, str], ParsedClaim](), dict[str, bool]()
    for place, raw in _lines(reading):
        task = str(raw.get("task_id"))
        if task not in known:
            known[task] = outcomes.is_known(reading, place, task)
        for side, field in SIDES:
            outcome, round = raw.get(side), str(raw.get(field))
            if not isinstance(outcome, dict):
                reading.problem(f"{place}: {side}", outcome, "an object with call_ok, exe_ok and perf_ok")
            elif (task, round) not in claims:
                claims[task, round] = _claim(reading, f"{place}: {side}", raw, side, round, known[task])
            elif claims[task, round].claimed != reading.claimed(outcome, outcomes.CLAIMED):
                reading.find("contradictory_rounds", place, f"{task} {round}", task)
        first, then = ((task, str(raw.get(field))) for _, field in SIDES)
        if first in claims and then in claims and first != then:
            claims[then] = replace(claims[then], follows=first[1])
        _note_noise(reading, place, task, raw)
    outcomes.note_quality(reading, NAME, tuple(claims.values()))
    declared = reading.declared({})
    return ParsedBundle(
        format=NAME,
        generation="v1",
        digest=reading.digest,
        suite=SUITE,
        suite_tasks=tuple(tasks_of(SUITE)),
        declared=declared,
        asked=tuple(key for key in DECLARABLE if key not in {*declared, "level"}),
        claims=tuple(claims.values()),
        totals=(),
        findings=(),
    )


def _lines(reading: Reading) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """All lines, with tasks by the suite's paths, as the benchmark itself joins its stages by the names of files."""
    found = [line for path in _paths(reading) for line in reading.lines(path)]
    moved = outcomes.joined({str(raw.get("task_id")) for _, raw in found})
    noted = set[str]()
    for place, raw in found:
        task = str(raw.get("task_id"))
        if task in moved and task not in noted:
            noted.add(task)
            reading.find("moved_task", place, f"{task}, which is {moved[task]}", moved[task])
        yield place, {**raw, "task_id": moved.get(task, task)}


def _paths(reading: Reading) -> Iterator[str]:
    for path in sorted(reading.files):
        start = reading.files[path][:4096]
        if path.endswith(".jsonl") and b'"transition"' in start and b'"task_id"' in start:
            yield path


def _claim(reading: Reading, place: str, raw: Mapping[str, Any], side: str, round: str, known: bool) -> ParsedClaim:
    task, outcome = str(raw.get("task_id")), raw[side]
    time, speedup = outcome.get("runtime_ms"), outcome.get("speedup")
    is_timed = is_time(speedup if time in ABSENT else time)  # a speedup that stands alone had a time
    message = reading.text(outcome.get("error"), f"{place}.error", task)
    status, reason = outcomes.status(reading, place, task, outcome, is_timed=is_timed, error=message)
    outcomes.note_marks(reading, place, task, outcome)
    claim = ParsedClaim(
        task=task,
        is_known=known,
        attempt=round,
        status=status,
        reason=reason,
        message=message,
        claimed=reading.claimed(outcome, outcomes.CLAIMED),
        claimed_speedup=reading.number(speedup, f"{place}.speedup", task),
        recomputed_speedup=None,
        cases=(),
        files=outcomes.source_of(reading, raw.get(f"{side}_code"), place, task),
    )
    plausibility.note(reading, place, claim, is_time_judged=True)
    return claim


def _note_noise(reading: Reading, place: str, task: str, raw: Mapping[str, Any]) -> None:
    kinds = str(raw.get("kind")).split(",")
    _note_kind(reading, place, task, raw, kinds)
    if kinds != ["speedup_increase"]:
        return
    sides = [raw[side].get("speedup") if isinstance(raw.get(side), dict) else None for side, _ in SIDES]
    before, after = (reading.number(value, place, task) for value in sides)
    if before and after and after < before:
        reading.find("kind_disagrees", place, f"{kinds[0]}: {before:g}, then {after:g}", task)
    elif before and after and abs(after / before - 1) < plausibility.NOISE:
        reading.find("within_noise", place, f"{before:g} and {after:g}", task)


def _note_kind(reading: Reading, place: str, task: str, raw: Mapping[str, Any], kinds: list[str]) -> None:
    """Note a kind, such as `call_fail_to_pass`, that the two outcomes do not show."""
    for kind, (field, first, then) in KINDS.items():
        sides = [raw[side].get(field) if isinstance(raw.get(side), dict) else None for side, _ in SIDES]
        if kind in kinds and sides != [first, then] and all(isinstance(side, bool) for side in sides):
            reading.find("kind_disagrees", place, f"{kind}: {field} is {sides[0]}, then {sides[1]}", task)
