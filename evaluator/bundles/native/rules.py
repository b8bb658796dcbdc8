"""Rules for ArenaBoard's own bundles: what their parts must agree on, and bounds of what the database can hold.

Each function yields every problem. Records that the evaluator wrote have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluator.bundles.archives.packing import slug
from evaluator.bundles.problems import BundleProblem
from evaluator.records.measurements import Clock, Ratio
from evaluator.records.moments import PAST, is_over, is_timestamp
from evaluator.records.record import CaseRecord, Record
from evaluator.records.sessions import SessionRecord
from evaluator.tasks.candidate import Candidate
from evaluator.unseen.record import UnseenCaseRecord, UnseenRecord

SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")  # of a device class, which is part of URLs
NAME_CHARACTERS = 30  # of a version or a protocol
CASE_CHARACTERS = 200
MOST_DRAWS, MOST_REPEATS = 2**31 - 1, 2**15 - 1
LARGEST_LOG = 50.0  # of a ratio; e^50 is 5e21
LARGEST_TIME = 1e9  # ms, eleven days


def manifest_out_of_bounds(place: str, values: Mapping[str, Any]) -> Iterator[BundleProblem]:
    """Values of run.json that are malformed or out of bounds."""
    if not SLUG.fullmatch(values["device_class"]):
        yield BundleProblem(
            f"{place}: device_class",
            f"{values['device_class']!r:.80}",
            "letters, digits and hyphens, such as mi300x-spx",
        )
    if len(values["protocol"]) > NAME_CHARACTERS:
        yield BundleProblem(
            f"{place}: protocol", f"{values['protocol']!r:.80}", f"at most {NAME_CHARACTERS} characters"
        )
    if not 0 <= values["repeat"] <= MOST_REPEATS:
        yield BundleProblem(f"{place}: repeat", str(values["repeat"])[:80], f"0 to {MOST_REPEATS}")


def out_of_bounds(place: str, record: Record | UnseenRecord) -> Iterator[BundleProblem]:
    """Values that are malformed or out of bounds in a record of seen or unseen cases."""
    if not is_timestamp(record.started_at):
        yield BundleProblem(f"{place}: started_at", f"{record.started_at!r:.80}", "a timestamp with its time zone")
    else:
        yield from _from_the_future(place, record.started_at, record.seconds.get("total", 0.0))
    if len(record.evaluator) > NAME_CHARACTERS:
        yield BundleProblem(f"{place}: evaluator", f"{record.evaluator!r:.80}", f"at most {NAME_CHARACTERS} characters")
    if not all(0 <= seconds <= LARGEST_TIME / 1000 for seconds in record.seconds.values()):
        yield BundleProblem(f"{place}: seconds", "a duration", f"0 to {LARGEST_TIME / 1000:g}")
    for name in (case.id for case in record.cases):
        if not 0 < len(name) <= CASE_CHARACTERS:
            expected = f"a name of at most {CASE_CHARACTERS} characters"
            yield BundleProblem(f"{place}: cases.{name:.80}", f"{len(name)} characters", expected)
    for case in record.cases:
        for text in _case_out_of_bounds(case):
            yield BundleProblem(f"{place}: cases.{case.id:.80}", *text)


def _from_the_future(place: str, started_at: str, seconds: float) -> Iterator[BundleProblem]:
    if not is_over(started_at, seconds):
        yield BundleProblem(f"{place}: started_at", f"{started_at} and {seconds:g} seconds from then", PAST)


def _case_out_of_bounds(case: CaseRecord | UnseenCaseRecord) -> Iterator[tuple[str, str]]:
    """Values out of bounds in a case, each as what is seen and what is expected."""
    draws = [case.draws] if isinstance(case, CaseRecord) else [case.baseline.draws, case.candidate.draws]
    if not all(0 <= count <= MOST_DRAWS for count in draws):
        yield str(draws)[:80], f"0 to {MOST_DRAWS} draws"
    others = case.baselines.values() if isinstance(case, CaseRecord) else ()
    further = [time for one in others for time in (one.time_ms, one.own_ms, one.ratio)]
    if not all(map(_is_bounded_clock, case.clocks.values())) or not all(0 < time <= LARGEST_TIME for time in further):
        yield "a time", f"above 0, at most {LARGEST_TIME:g} ms"
    if case.ratio is not None and not _is_bounded_ratio(case.ratio):
        yield (
            "a ratio",
            f"an interval around its ratio, none above e^{LARGEST_LOG:g}, and a variance that is not negative",
        )


def _is_bounded_clock(clock: Clock) -> bool:
    times: Sequence[float] = (*clock.baseline_ms, *clock.candidate_ms)
    return all(0 < time <= LARGEST_TIME for time in times)


def _is_bounded_ratio(ratio: Ratio) -> bool:
    low, high = (ratio.log_ratio if end is None else end for end in (ratio.low, ratio.high))
    ordered = -LARGEST_LOG <= low <= ratio.log_ratio <= high <= LARGEST_LOG
    return ordered and (ratio.variance is None or ratio.variance >= 0) and (ratio.df is None or ratio.df > 0)


def record_mismatches(
    place: str, record: Record, task: str, candidate: Candidate, values: Mapping[str, Any]
) -> Iterator[BundleProblem]:
    """Contradictions between a record, run.json and the candidate's sources."""
    for what, seen, expected in (
        ("task", record.task.id, task),
        ("task digest", record.task.digest, values["tasks"][task]),
        ("protocol", record.protocol, values["protocol"]),
        ("device class", record.host.device_class, values["device_class"]),
        ("label of the candidate", record.candidate.label, values["agent"]),
    ):
        if seen != expected:
            yield BundleProblem(f"{place}: {what}", f"{seen!r:.80}", f"{expected!r:.80}, as run.json says")
    if dict(record.candidate.files) != candidate.ref_files or record.candidate.digest != candidate.digest:
        yield BundleProblem(place, f"a digest other than of candidates/{slug(task)}/", "the files that were evaluated")
    if any(case.split != "seen" for case in record.cases):
        yield BundleProblem(place, "an unseen case", "seen cases only")


def unseen_mismatches(
    place: str, unseen: UnseenRecord, record: Record, values: Mapping[str, Any]
) -> Iterator[BundleProblem]:
    """Contradictions between a task's record of unseen cases, its record of seen cases, and run.json."""
    for what, seen, expected in (
        ("task", unseen.task, record.task),
        ("candidate", unseen.candidate, record.candidate),
        ("protocol", unseen.protocol, record.protocol),
        ("device class", unseen.host.device_class, record.host.device_class),
        ("round", unseen.round, values["round"]),
    ):
        if seen != expected:
            yield BundleProblem(f"{place}: {what}", "another", "the record's or run.json's")


def session_mismatches(
    place: str, session: SessionRecord, record: Record, values: Mapping[str, Any]
) -> Iterator[BundleProblem]:
    """Contradictions between an agent's session, the record of its candidate, run.json, and the time now."""
    yield from _from_the_future(place, session.started_at, session.seconds)
    for what, seen, expected in (
        ("task", session.task, record.task),
        ("candidate", session.candidate, record.candidate),
        ("agent", session.agent, values["agent"]),
        ("repeat", session.repeat, values["repeat"]),
        ("device class", session.device_class, values["device_class"]),
        ("settings", dict(session.settings), values["settings"]),
    ):
        if seen != expected:
            yield BundleProblem(f"{place}: {what}", "another", "the record's or run.json's")
