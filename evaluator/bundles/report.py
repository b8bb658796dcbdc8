"""What `bundle check` prints: the same facts as text for people and as JSON for programs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from evaluator import codec
from evaluator.bundles.checking import CheckedBundle
from evaluator.bundles.findings import FINDINGS
from evaluator.bundles.parsed import DECLARABLE, ParsedBundle, ParsedClaim
from evaluator.records.reasons import Status
from evaluator.tasks.reader import task_ids
from evaluator.tasks.spec import task_digest, task_files, tasks_folder
from evaluator.wording import counted

REPORT_SCHEMA_VERSION = 1
EXAMPLES = 3  # of each kind of finding, in the text


def text_of(name: str, checked: CheckedBundle) -> str:
    lines = [] if checked.submission is None else list(_about(checked.submission))
    for problem in checked.problems:
        lines.append(
            f"problem   {problem.place}\n          seen: {problem.seen}\n          expected: {problem.expected}"
        )
        lines += [f"          hint: {problem.hint}"] if problem.hint else []
    count = len(checked.problems)
    verdict = f"{counted(count, 'problem')}: it would be refused" if count else "it can be handed in"
    if not count and checked.submission and _other_tasks(checked.submission):
        verdict += " where a suite has exactly its tasks"
    return "\n".join([*lines, f"{name}: {verdict}"])


def json_of(checked: CheckedBundle) -> str:
    """Sources by their sha256; everything else as it is in the values."""
    submission = checked.submission
    value: dict[str, Any] = {
        "schema": REPORT_SCHEMA_VERSION,
        "valid": not checked.problems,
        "problems": checked.problems,
        "submission": None,
    }
    if submission is not None:
        claims = [{**codec.encode(_without_files(claim)), "files": _digests(claim)} for claim in submission.claims]
        names = [name for name in ParsedBundle.__dataclass_fields__ if name not in ("claims", "own")]
        fields = {name: getattr(submission, name) for name in names}
        others = _other_tasks(submission)
        value["submission"] = {**fields, "absent": submission.absent, "other_tasks": others, "claims": claims}
    return codec.dumps(value)


def _about(submission: ParsedBundle) -> Iterator[str]:
    known = [claim for claim in submission.claims if claim.is_known]
    yield f"format    {submission.format}, {submission.generation}"
    yield f"digest    {submission.digest}"
    yield f"suite     {submission.suite or 'none of ours'}: {_share(len(submission.suite_tasks), submission)}"
    for task, here in _other_tasks(submission).items():
        yield f"other     {task}: {f'{here:.12} in tasks/ here' if here else 'not in tasks/ here'}"
    aside = len(submission.claims) - len(known)
    yield f"claims    {len(known)} counted, {aside} in quarantine, {counted(submission.measurements, 'measurement')}"
    counts = Counter(claim.status for claim in submission.claims)
    yield f"status    {', '.join(f'{counts[status]} {status.value}' for status in Status if counts[status])}"
    if submission.own:
        tried = submission.own.round
        yield f"cases     {f'seen ones, and those of the round {tried}' if tried else 'seen ones only'}"
    for key, value in submission.declared.items():
        yield f"declared  {key}: {value}"
    for key in submission.asked:
        yield f"asked     {key}: {DECLARABLE[key]}"
    for total in submission.totals:
        yield f"total     {total.name}: claimed {total.claimed}, of its rows {total.recomputed}"
    yield from _findings(submission)


def _share(tasks: int, submission: ParsedBundle) -> str:
    return f"{tasks - len(submission.absent)} of {counted(tasks, 'task')} in it" if tasks else "no denominator"


def _other_tasks(submission: ParsedBundle) -> dict[str, str | None]:
    """Those of one of our own bundles that were measured on other folders than tasks/ holds, with the digest here."""
    measured = submission.own.tasks if submission.own else {}
    here = {task: task_digest(task_files(tasks_folder() / task)) for task in task_ids() if task in measured}
    return {task: here.get(task) for task, digest in measured.items() if here.get(task) != digest}


def _findings(submission: ParsedBundle) -> Iterator[str]:
    """A few of each kind; JSON has all."""
    for code in FINDINGS:
        found = [finding for finding in submission.findings if finding.code == code]
        for finding in found[:EXAMPLES]:
            yield f"finding   {code}: {finding.text}\n          at {finding.place}"
        if len(found) > EXAMPLES:
            yield f"finding   {code}: {len(found) - EXAMPLES} more like it"


def _without_files(claim: ParsedClaim) -> dict[str, Any]:
    fields = {name: getattr(claim, name) for name in ParsedClaim.__dataclass_fields__ if name != "files"}
    return {**fields, "cases": tuple(claim.cases)}


def _digests(claim: ParsedClaim) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in claim.files.items()}
