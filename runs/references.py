"""Which rows name which files of the stores. Takedowns ask before they remove a file, backups what is missing.

Every column that names files is on the lists here, and tests/runs/test_references.py finds one that is not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from django.db.models import Model, QuerySet

from runs.archive import ARCHIVE, UPLOADS
from runs.models import AgentSession, Attempt, AuditEntry, Claim, Result, Submission, Task, UnseenEvaluation

DIGEST_COLUMNS: dict[str, tuple[tuple[type[Model], str], ...]] = {  # by store: columns with one digest
    ARCHIVE: (
        (Attempt, "record_digest"),
        (UnseenEvaluation, "record_digest"),
        (AgentSession, "digest"),
        (AgentSession, "prompt_digest"),
    ),
    UPLOADS: ((Submission, "digest"),),
}
FILE_COLUMNS: tuple[tuple[type[Model], str], ...] = (  # path → digest in the archive
    (Task, "files"),
    (Result, "candidate_files"),
    (Claim, "files"),
)
_REPLACED = re.compile(r"[0-9a-f]{64}$")  # ends the audit log's line on a session that a rerun replaced


def who_names(digests: Collection[str] | None = None, store: str = ARCHIVE) -> Iterator[tuple[str, str]]:
    """Yield a digest and the row and column that name it, for each of these digests, or for all that are named."""
    for model, column in DIGEST_COLUMNS[store]:
        chosen = {f"{column}__in": digests} if digests is not None else {}
        for pk, digest in _rows(model).filter(**chosen).exclude(**{column: ""}).values_list("pk", column).iterator():
            yield digest, _named(model, pk, column)
    if store == ARCHIVE:
        yield from (named for named in _in_texts() if digests is None or named[0] in digests)


def _in_texts() -> Iterator[tuple[str, str]]:
    """Yield digests in JSON and in the audit log, where the database cannot look for them."""
    for model, column in FILE_COLUMNS:
        for pk, files in _rows(model).exclude(**{column: {}}).values_list("pk", column).iterator():
            yield from ((digest, _named(model, pk, column)) for digest in files.values())
    reruns = AuditEntry.objects.filter(action=AuditEntry.Action.RERUN).exclude(detail="")
    for pk, detail in reruns.values_list("pk", "detail").iterator():
        if found := _REPLACED.search(detail):
            yield found[0], _named(AuditEntry, pk, "detail")


def _rows(model: type[Model]) -> QuerySet[Model]:
    return Submission.objects.with_bytes() if model is Submission else model._default_manager.order_by()


def _named(model: type[Model], pk: int, column: str) -> str:
    return f"{model._meta.verbose_name} {pk}: {column}"
