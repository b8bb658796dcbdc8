"""A pair of neighbouring versions as data: of a session, or of a corpus from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluator.records.edits import KINDS
from evaluator.records.sessions import SessionRecord
from evaluator.records.transitions import TRANSITIONS
from evaluator.tasks.rebuilt import rebuilt
from leaderboard.diffs import Diff, DiffLine, diff, is_comparable, numbered, parsed
from leaderboard.encoding import SCREEN
from leaderboard.formatting import significant
from leaderboard.pages.base import entry_name, page_url
from leaderboard.queries import pairs
from leaderboard.queries.pairs import ClaimPairRow, PairRow
from leaderboard.words import STATUSES, Word

SESSIONS, CORPORA = "sessions", "corpora"
NOT_HERE = "The session's record is not in the archive."
NOT_REBUILT = (
    "This version's source cannot be rebuilt exactly from the task's own and the diffs of the session's record, where "
    "something was cut or masked."
)
NO_LICENCE = "The licence of this bundle is not stated, so its sources are not shown."
NO_SOURCE = "The bundle lacks this version's source, or it is not in the archive."


@dataclass(frozen=True, slots=True)
class PairLine:
    """A pair in the browser. `configuration` and `result` are of sessions, `submission` of corpora."""

    id: int
    origin: str  # sessions, or corpora
    name: str
    configuration: str | None
    result: int | None
    submission: int | None
    task: str
    step: str  # such as 1 to 2
    transition: str
    kinds: tuple[str, ...]  # empty where they are not known
    status_before: str
    status: str
    speedup_before: float | None
    speedup: float | None
    added: int | None  # lines; None in a corpus
    removed: int | None
    url: str


@dataclass(frozen=True, slots=True)
class VersionFile:
    path: str
    text: str
    lines: tuple[DiffLine, ...] = field(metadata=SCREEN)


@dataclass(frozen=True, slots=True)
class VersionSide:
    """One of the two versions. `files` is None where its source cannot be shown, for the reason given."""

    name: str  # such as version 1
    status: str
    message: str | None
    speedup: float | None
    files: tuple[VersionFile, ...] | None
    no_files_because: str | None

    @property
    def word(self) -> Word:
        return STATUSES[self.status]

    @property
    def speed(self) -> str:
        return "" if self.speedup is None else f"{significant(self.speedup, 4)}×"


@dataclass(frozen=True, slots=True)
class Changes:
    """A diff for the screen."""

    path: str
    caption: str
    diff: Diff


def line_of_session(row: PairRow) -> PairLine:
    return PairLine(
        id=row.id,
        origin=SESSIONS,
        name=entry_name(row.agent, row.model),
        configuration=row.configuration,
        result=row.result,
        submission=None,
        task=row.task,
        step=f"{row.previous} to {row.number}",
        transition=row.transition,
        kinds=tuple(row.kinds.split()),
        status_before=row.status_before,
        status=row.status,
        speedup_before=row.speedup_before,
        speedup=row.speedup,
        added=row.added,
        removed=row.removed,
        url=page_url("pair", row.id),
    )


def line_of_claim(row: ClaimPairRow) -> PairLine:
    return PairLine(
        id=row.id,
        origin=CORPORA,
        name=entry_name(row.agent or f"Submission {row.submission}", row.model),
        configuration=None,
        result=None,
        submission=row.submission,
        task=row.task,
        step=f"{_round(row.attempt_before)} to {_round(row.attempt)}",
        transition=row.transition,
        kinds=tuple(row.kinds.split()),
        status_before=row.status_before,
        status=row.status,
        speedup_before=row.speedup_before,
        speedup=row.speedup,
        added=None,
        removed=None,
        url=page_url("claimed_pair", row.id),
    )


def sides_of_session(row: PairRow, stored: SessionRecord | None) -> tuple[VersionSide, VersionSide]:
    before, after = versions_of_session(row, stored)
    why = NOT_REBUILT if stored else NOT_HERE
    return (
        _side(f"version {row.previous}", row.status_before, row.message_before, row.speedup_before, before, why),
        _side(f"version {row.number}", row.status, row.message, row.speedup, after, why),
    )


def versions_of_session(
    row: PairRow, stored: SessionRecord | None
) -> tuple[dict[str, str] | None, dict[str, str] | None]:
    """The files of both versions; None where they cannot be rebuilt."""
    start = pairs.texts({path: digest for path, digest in row.task_files.items() if path in row.editable})
    if stored is None or start is None or not 1 < row.number <= len(stored.iterations):
        return None, None
    found = rebuilt(start, stored.iterations[: row.number])
    return found[row.previous - 1], found[row.number - 1]


def sides_of_claim(row: ClaimPairRow) -> tuple[VersionSide, VersionSide]:
    before, after = (_claimed_files(row, files) for files in (row.files_before or {}, row.files))
    why = NO_SOURCE if row.licence else NO_LICENCE
    messages = [pairs.shown(text or "") for text in (row.message_before, row.message)]
    return (
        _side(_round(row.attempt_before), row.status_before, messages[0], row.speedup_before, before, why),
        _side(_round(row.attempt), row.status, messages[1], row.speedup, after, why),
    )


def changes_of_session(row: PairRow, stored: SessionRecord | None) -> tuple[str | None, tuple[Changes, ...]]:
    """The diff as recorded, and for the screen."""
    text = diff_of_session(row, stored)
    if text is None:
        return None, ()
    found = parsed(text)
    made = Changes(f"version {row.number}", f"compared with version {row.previous}", found)
    return text, () if found.is_empty else (made,)


def diff_of_session(row: PairRow, stored: SessionRecord | None) -> str | None:
    """The diff as recorded; None where the archive lacks the session."""
    return stored.iterations[row.number - 1].diff if stored and row.number <= len(stored.iterations) else None


def changes_of_files(before: VersionSide, after: VersionSide) -> tuple[Changes, ...]:
    """The differences between two versions whose sources are shown."""
    if before.files is None or after.files is None:
        return ()
    old, new = ({one.path: one.text for one in side.files or ()} for side in (before, after))
    found = []
    for path in sorted({*old, *new}):
        texts = old.get(path, ""), new.get(path, "")
        if texts[0] != texts[1] and is_comparable(*texts):
            found.append(Changes(path, f"from {before.name} to {after.name}", diff(*texts)))
    return tuple(found)


def kinds_in_words(kinds: tuple[str, ...]) -> str:
    return ", ".join(KINDS[kind].name for kind in kinds) or "not known"


def transition_in_words(transition: str) -> tuple[str, str]:
    """Title and meaning of a transition."""
    return TRANSITIONS[transition]


def _claimed_files(row: ClaimPairRow, files: Mapping[str, str]) -> dict[str, str] | None:
    """The sources of a claim, as anybody may see them; None without a licence, and where there are none."""
    found = pairs.texts(files) if row.licence and files else None
    return {path: pairs.shown(text) for path, text in found.items()} if found else None


def _side(
    name: str, status: str, message: str | None, speedup: float | None, files: Mapping[str, str] | None, why: str
) -> VersionSide:
    shown = None if files is None else tuple(VersionFile(path, text, numbered(text)) for path, text in files.items())
    return VersionSide(name, status, message or None, speedup, shown, why if shown is None else None)


def _round(attempt: str) -> str:
    return attempt.replace("_", " ")
