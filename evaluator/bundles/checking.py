"""The door: a path becomes what it claims, with every problem and every finding. The same offline and on the site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Protocol

from evaluator.bundles.agentkernelarena import held_out, run_folder
from evaluator.bundles.archives.archive import read_members
from evaluator.bundles.archives.limits import LIMITS, ReadLimits
from evaluator.bundles.flashinfer import traces
from evaluator.bundles.kernelbench import results as kernelbench
from evaluator.bundles.kernelbenchx import corpus
from evaluator.bundles.kernelbenchx import results as kernelbenchx
from evaluator.bundles.kernelbenchx.golden import is_rows
from evaluator.bundles.native import claims as native_claims
from evaluator.bundles.parsed import ParsedBundle
from evaluator.bundles.problems import BundleError, BundleProblem
from evaluator.bundles.reading import DECLARED_FILE, Reading


class Format(Protocol):
    NAME: str
    MARKS: str  # what it is recognised by, for people

    def recognises(self, reading: Reading) -> bool: ...
    def translate(self, reading: Reading) -> ParsedBundle | None: ...


FORMATS: tuple[Format, ...] = (
    native_claims,
    held_out,
    run_folder,
    kernelbenchx,
    corpus,
    kernelbench,
    traces,
)


@dataclass(frozen=True, slots=True)
class CheckedBundle:
    """`submission` is None where nothing could be made of it; it may be imported only without problems."""

    submission: ParsedBundle | None
    problems: tuple[BundleProblem, ...]


def check(
    path: Path, limits: ReadLimits = LIMITS, name: str = "", said: Mapping[str, str] | None = None
) -> CheckedBundle:
    """Read, recognise and translate a bundle; never raises on what it holds.

    `name` as for `read_members`; `said`: what its submitter adds, by the names of DECLARABLE.
    """
    try:
        files = read_members(path, limits, name)
    except BundleError as error:
        return CheckedBundle(None, error.problems)
    return check_files(files, said)


def check_files(files: Mapping[str, bytes], said: Mapping[str, str] | None = None) -> CheckedBundle:
    reading = Reading(files, said)
    fitting = [form for form in FORMATS if form.recognises(reading)]
    if held_out in fitting:  # its folders hold copies of the run's own results
        fitting = [held_out]
    if len(fitting) != 1:
        _note_unrecognised(reading, [form.NAME for form in fitting])
        reading.end()
        return CheckedBundle(None, tuple(reading.problems))
    reading.begin_again()
    submission = fitting[0].translate(reading)
    if submission is not None:
        _note_absent(reading, submission)
    reading.end()
    if submission is not None:
        submission = replace(submission, findings=tuple(reading.findings))
    return CheckedBundle(submission, tuple(reading.problems))


def _note_absent(reading: Reading, submission: ParsedBundle) -> None:
    absent = submission.absent
    if absent:
        detail = f"{len(absent)} of {len(submission.suite_tasks)}, as {absent[0]}"
        reading.find("absent_tasks", submission.format, detail)


def _note_unrecognised(reading: Reading, names: list[str]) -> None:
    place = "the bundle"
    if names:
        reading.problem(place, f"results of {' and '.join(names)}", "those of one benchmark", "Send each on its own")
        return
    golden = [path for path in sorted(reading.files) if path.endswith(".json") and is_rows(reading.parsed(path))]
    if golden:
        hint = "Add the run that they belong to: metrics.json, or the rows of its stages"
        reading.problem(golden[0], "times by input size of KernelBench-X alone", "a run", hint)
        return
    names = [name for name in sorted(reading.files) if PurePosixPath(name).name != DECLARED_FILE]
    marks = "; ".join(f"{form.NAME}: {form.MARKS}" for form in FORMATS)
    reading.problem(place, ", ".join(names[:5]) or "no file", "one of the known formats", marks)
