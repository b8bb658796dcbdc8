"""Measures the code of stored candidates: before a verdict is written, and after a bundle was imported.

What stays unmeasured is shown as such until `manage.py measure_quality` has run.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from django.db.models import QuerySet

from runs import archive
from runs.archive import ArchiveError
from runs.code_quality import reader
from runs.models import Claim, Result, Submission
from runs.services.revision import public_changed

IMPORT_S = 120.0  # for one bundle; 176 candidates of the usual size take ten seconds
log = logging.getLogger(__name__)


def measure_result(*, result: Result) -> None:
    """Measure a result's candidate. A fault costs the figures, never the verdict."""
    _safely(Result.objects.filter(pk=result.pk))


def measure_submission(*, submission: Submission) -> None:
    """Measure the candidates of an accepted bundle. A fault costs the figures, never the import."""
    _safely(Result.objects.filter(run__submission=submission), Claim.objects.filter(submission=submission))


def measure_all(*, again: bool = False) -> int:
    """Measure every candidate that has no figures, or all of them anew; return how many were measured."""
    return sum(_fill(rows, again=again) for rows in (Result.objects.all(), Claim.objects.all()))


def _safely(*chosen: QuerySet[Any]) -> None:
    try:
        for rows in chosen:
            _fill(rows, within_s=IMPORT_S)
    except Exception:  # a boundary: what called this cannot be repeated, and the figures can be filled in
        log.exception("the code of a candidate was not measured: a fault of ours")


def _fill(rows: QuerySet[Any], *, again: bool = False, within_s: float | None = None) -> int:
    """Measure the candidates of these results or claims, a few at a time, and stop early after `within_s`.

    Rows are changed without a signal, so that nothing tells of a result in a secret round.
    """
    began, count, is_public = time.monotonic(), 0, False
    files_in, related = ("candidate_files", "task") if rows.model is Result else ("files", "submission")
    wanted = (rows if again else rows.filter(code_quality__isnull=True)).exclude(**{files_in: {}})
    left = list(wanted.values_list("pk", flat=True))
    for start in range(0, len(left), reader.TOGETHER):
        if within_s is not None and time.monotonic() - began > within_s:
            log.warning("%d candidates are not measured: `manage.py measure_quality` measures them", len(left) - start)
            break
        some = rows.model._default_manager.filter(pk__in=left[start : start + reader.TOGETHER])
        files = {row: own for row in some.select_related(related) if (own := _own_files(row)) is not None}
        for row, figures in zip(files, reader.measure(list(files.values())), strict=True):
            count += some.filter(pk=row.pk).update(code_quality=figures)
            is_public = is_public or _is_public(row)
    if is_public:
        public_changed()
    return count


def _own_files(row: Result | Claim) -> dict[str, bytes] | None:
    """Return the files that the candidate's author wrote; None where the archive lacks one."""
    try:
        if isinstance(row, Claim):
            return {path: archive.get(digest) for path, digest in row.files.items()}
        allowed = row.task.editable
        return {path: archive.get(digest) for path, digest in row.candidate_files.items() if path in allowed}
    except ArchiveError:
        return None


def _is_public(row: Result | Claim) -> bool:
    return row.submission.is_public if isinstance(row, Claim) else row.published_attempt_id is not None
