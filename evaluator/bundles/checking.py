"""Checks a bundle: recognises its format and parses it, with all problems and findings, as the site does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Protocol

from evaluator.bundles import flashinfer
from evaluator.bundles.agentkernelarena import held_out, run_folder
from evaluator.bundles.archives.archive import read_members
from evaluator.bundles.archives.limits import LIMITS, ReadLimits
from evaluator.bundles.kernelbench import leaderboard
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
    MARKS: str  # how it is recognised, for people

    def recognises(self, reading: Reading) -> bool: ...
    def translate(self, reading: Reading) -> ParsedBundle | None: ...


FORMATS: tuple[Format, ...] = (
    native_claims,
    held_out,
    run_folder,
    kernelbenchx,
    corpus,
    kernelbench,
    leaderboard,
    flashinfer,
)


@dataclass(frozen=True, slots=True)
class CheckedBundle:
    """A checked bundle: None if it could not be parsed. It may be imported only if there are no problems."""

    bundle: ParsedBundle | None
    problems: tuple[BundleProblem, ...]


def check(
    path: Path, limits: ReadLimits = LIMITS, name: str = "", declared: Mapping[str, str] | None = None
) -> CheckedBundle:
    """Read and parse a bundle; whatever it contains becomes problems and findings, never an exception.

    `name` is the original file name of an upload; `declared` has facts that the submitter adds, by keys of DECLARABLE.
    """
    try:
        files = read_members(path, limits, name)
    except BundleError as error:
        return CheckedBundle(None, error.problems)
    return check_files(files, declared)


def check_files(files: Mapping[str, bytes], declared: Mapping[str, str] | None = None) -> CheckedBundle:
    reading = Reading(files, declared)
    fitting = [form for form in FORMATS if form.recognises(reading)]
    if held_out in fitting:  # its folders also hold copies of the original run's results
        fitting = [held_out]
    if len(fitting) != 1:
        _note_unrecognised(reading, [form.NAME for form in fitting])
        reading.end()
        return CheckedBundle(None, tuple(reading.problems))
    reading.reset()
    bundle = fitting[0].translate(reading)
    if bundle is not None and (absent := bundle.absent):
        detail = f"{len(absent)} of {len(bundle.suite_tasks)}, such as {absent[0]}"
        reading.find("absent_tasks", bundle.format, detail)
    if bundle is not None and bundle.own is None:
        reading.note_unread()
    reading.end()
    if bundle is not None:
        bundle = replace(bundle, findings=tuple(reading.findings))
    return CheckedBundle(bundle, tuple(reading.problems))


def _note_unrecognised(reading: Reading, names: list[str]) -> None:
    place = "the bundle"
    if names:
        reading.problem(place, f"results of {' and '.join(names)}", "one benchmark", "Submit each on its own")
        return
    golden = [path for path in sorted(reading.files) if path.endswith(".json") and is_rows(reading.parsed(path))]
    if golden:
        hint = "Add the run that they belong to: metrics.json, or the rows of its stages"
        reading.problem(golden[0], "only the golden times of KernelBench-X", "a run", hint)
        return
    names = [name for name in sorted(reading.files) if PurePosixPath(name).name != DECLARED_FILE]
    marks = "; ".join(f"{form.NAME}: {form.MARKS}" for form in FORMATS)
    reading.problem(place, ", ".join(names[:5]) or "no file", "one of the known formats", marks)
