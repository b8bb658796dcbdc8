"""The output of `bundle check`: as text for people and as JSON for programs."""

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
EXAMPLES = 5  # of each kind of finding in the text


def text_of(name: str, checked: CheckedBundle) -> str:
    """The report as text: facts about the bundle, findings, problems, and whether it can be submitted."""
    lines = [] if checked.bundle is None else list(_facts(checked.bundle))
    for problem in checked.problems:
        lines.append(
            f"problem   {problem.place}\n          seen: {problem.seen}\n          expected: {problem.expected}"
        )
        lines += [f"          hint: {problem.hint}"] if problem.hint else []
    count = len(checked.problems)
    verdict = f"{counted(count, 'problem')}; a site would reject it" if count else "ready to submit"
    if not count and checked.bundle and _other_tasks(checked.bundle):
        verdict += " to a site whose suite has exactly these tasks"
    return "\n".join([*lines, f"{name}: {verdict}"])


def json_of(checked: CheckedBundle) -> str:
    """The report as JSON, with the sha256 of each source in place of its content."""
    submission = checked.bundle
    value: dict[str, Any] = {
        "schema": REPORT_SCHEMA_VERSION,
        "valid": not checked.problems,
        "problems": checked.problems,
        "submission": None,
    }
    if submission is not None:
        claims = [_encoded(claim) for claim in submission.claims]
        names = [name for name in ParsedBundle.__dataclass_fields__ if name not in ("claims", "own")]
        fields = {name: getattr(submission, name) for name in names}
        others = _other_tasks(submission)
        value["submission"] = {**fields, "absent": submission.absent, "other_tasks": others, "claims": claims}
    return codec.dumps(value)


def _facts(submission: ParsedBundle) -> Iterator[str]:
    known = [claim for claim in submission.claims if claim.is_known]
    yield f"format    {submission.format}, {submission.generation}"
    yield f"digest    {submission.digest}"
    tasks = len(submission.suite_tasks)
    share = f"{tasks - len(submission.absent)} of {counted(tasks, 'task')}" if tasks else "number of tasks unknown"
    yield f"suite     {submission.suite or 'unknown here'}: {share}"
    for task, here in _other_tasks(submission).items():
        yield f"other     {task}: {f'digest {here:.12} in tasks/ here' if here else 'not in tasks/ here'}"
    quarantined = len(submission.claims) - len(known)
    measurements = counted(submission.measurements, "measurement")
    yield f"claims    {len(known)} counted, {quarantined} in quarantine, {measurements}"
    counts = Counter(claim.status for claim in submission.claims)
    yield f"status    {', '.join(f'{counts[status]} {status.value}' for status in Status if counts[status])}"
    if submission.own:
        round_digest = submission.own.round
        yield f"cases     {f'seen, and unseen ones of round {round_digest}' if round_digest else 'seen only'}"
    for key, value in submission.declared.items():
        yield f"declared  {key}: {value}"
    for key in submission.asked:
        yield f"unstated  {key}: {DECLARABLE[key]}"
    for total in submission.totals:
        yield f"total     {total.name}: claimed {total.claimed}, recomputed {total.recomputed}"
    yield from _findings(submission)


def _other_tasks(submission: ParsedBundle) -> dict[str, str | None]:
    """Tasks of one of ArenaBoard's own bundles that differ from those in tasks/, with the digest in tasks/ or None."""
    measured = submission.own.tasks if submission.own else {}
    here = {task: task_digest(task_files(tasks_folder() / task)) for task in task_ids() if task in measured}
    return {task: here.get(task) for task, digest in measured.items() if here.get(task) != digest}


def _findings(submission: ParsedBundle) -> Iterator[str]:
    """The first few findings of each kind; the JSON report has all."""
    for code in FINDINGS:
        found = [finding for finding in submission.findings if finding.code == code]
        for finding in found[:EXAMPLES]:
            yield f"finding   {code}: {finding.text}\n          at {finding.place}"
        if len(found) > EXAMPLES:
            yield f"finding   {code}: {len(found) - EXAMPLES} more like it"


def _encoded(claim: ParsedClaim) -> dict[str, Any]:
    fields = {name: getattr(claim, name) for name in ParsedClaim.__dataclass_fields__ if name != "files"}
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in claim.files.items()}
    return {**codec.encode({**fields, "cases": tuple(claim.cases)}), "files": digests}
