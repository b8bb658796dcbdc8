"""Says of each version of a session, and of each claim of a round, what it changed since the one before.

So the browser of pairs and the trajectories of boards read no session from the archive.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from django.db import migrations, models

from evaluator.codec import DecodeError
from evaluator.records.edits import kinds_of, kinds_of_diff
from evaluator.records.sessions import read_session
from evaluator.records.transitions import transition
from runs import archive

AT_ONCE = 1000  # rows that are saved together
CORPUS = "KernelBench-X corpus"
RIGHT = ("passed", "implausible")  # as a bundle's claims count
VERSION = ["is_last", "is_solved", "best_speedup", "previous_status", "transition", "kinds"]
CLAIM = ["previous_attempt", "previous_status", "transition", "kinds"]


def of_sessions(apps: Any, schema_editor: Any) -> None:
    rows = apps.get_model("runs", "Iteration").objects.select_related("session").order_by("session_id", "number")
    sessions = groupby(rows.iterator(), key=lambda row: row.session_id)
    changed = [row for _, own in sessions for row in _versions(list(own))]
    rows.bulk_update(changed, VERSION, batch_size=AT_ONCE)


def _versions(rows: list[Any]) -> list[Any]:
    diffs = _diffs(rows[0].session.digest)
    before, is_solved, best = None, False, None
    for row in rows:
        if row.status == "passed":
            is_solved = True
            best = max(filter(None, (best, row.speedup)), default=None)
        row.is_last, row.is_solved, row.best_speedup = row is rows[-1], is_solved, best
        if before is not None:
            row.previous_status = before.status
            row.transition = transition(before.status, row.status, before.speedup, row.speedup)
        row.kinds = " ".join(kinds_of_diff(diffs[row.number])) if row.number in diffs else ""
        before = row
    return rows


def _diffs(digest: str) -> dict[int, str]:
    """The diffs of a session's versions; empty where the archive lacks it."""
    try:
        return {one.number: one.diff for one in read_session(archive.get(digest)).iterations} if digest else {}
    except (archive.ArchiveError, DecodeError):
        return {}


def of_claims(apps: Any, schema_editor: Any) -> None:
    """Rounds of a corpus that have neighbouring numbers; which of them its lines compare is no longer known."""
    rows = apps.get_model("runs", "Claim").objects.filter(submission__format=CORPUS)
    changed = []
    for _, own in groupby(rows.order_by("submission_id", "task", "attempt").iterator(), key=_of_one_task):
        known = {row.attempt: row for row in own}
        changed += [_follows(known[before], row) for row in known.values() for before in _earlier(row.attempt, known)]
    rows.bulk_update(changed, CLAIM, batch_size=AT_ONCE)


def _of_one_task(row: Any) -> tuple[int, str]:
    return row.submission_id, row.task


def _earlier(attempt: str, known: dict[str, Any]) -> Iterator[str]:
    stem, _, number = attempt.rpartition("_")
    if number.isascii() and number.isdigit() and len(number) < 10 and (before := f"{stem}_{int(number) - 1}") in known:
        yield before


def _follows(before: Any, row: Any) -> Any:
    speeds = [one.recomputed_speedup or one.claimed_speedup for one in (before, row)]
    row.previous_attempt, row.previous_status = before.attempt, before.status
    row.transition = transition(before.status, row.status, speeds[0], speeds[1], RIGHT)
    sources = [_texts(one.files) for one in (before, row)]
    row.kinds = " ".join(kinds_of(*sources)) if all(sources) else ""
    return row


def _texts(files: dict[str, str]) -> dict[str, str]:
    try:
        return {path: archive.get(digest).decode("utf-8", "replace") for path, digest in files.items()}
    except archive.ArchiveError:
        return {}


def _fields(model: str, **fields: Any) -> list[migrations.AddField]:
    return [migrations.AddField(model, name, field) for name, field in fields.items()]


class Migration(migrations.Migration):
    dependencies = [("runs", "0016_code_quality")]
    operations = [
        *_fields(
            "claim",
            previous_attempt=models.CharField(
                max_length=200, blank=True, help_text="The attempt that it follows, by its bundle. Empty: none."
            ),
            previous_status=models.CharField(max_length=20, blank=True),
            transition=models.CharField(
                max_length=20, blank=True, help_text="From that attempt's outcome to this one's."
            ),
            kinds=models.CharField(
                max_length=80, blank=True, help_text="Kinds of edit since then, with spaces between. Empty: not known."
            ),
        ),
        *_fields(
            "iteration",
            is_last=models.BooleanField(default=False, help_text="No version of its session was checked after it."),
            is_solved=models.BooleanField(default=False, help_text="It or a version before it passed."),
            best_speedup=models.FloatField(null=True, help_text="The largest of those that passed, up to it."),
            previous_status=models.CharField(max_length=20, blank=True, help_text="Empty: the first version."),
            transition=models.CharField(
                max_length=20, blank=True, help_text="From the outcome of the version before. Empty: the first version."
            ),
            kinds=models.CharField(
                max_length=80,
                blank=True,
                help_text="Kinds of edit of its diff, with spaces between. Empty: not known.",
            ),
        ),
        migrations.RunPython(of_sessions, migrations.RunPython.noop),
        migrations.RunPython(of_claims, migrations.RunPython.noop),
        migrations.AddIndex("claim", models.Index(name="claim_of_a_task", fields=["submission", "task"])),
        migrations.AddIndex(
            "iteration",
            models.Index(
                name="iteration_transitions", fields=["transition", "id"], condition=~models.Q(("transition", ""))
            ),
        ),
    ]
