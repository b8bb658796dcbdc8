"""The page of one pair: both versions, what changed between them, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from evaluator.records.edits import KINDS
from leaderboard.encoding import SCREEN
from leaderboard.pages.base import Link, Page, Query, page_url, query_string, task_url
from leaderboard.pages.pairs.facts import (
    CORPORA,
    Changes,
    PairLine,
    VersionSide,
    changes_of_files,
    changes_of_session,
    kinds_in_words,
    line_of_claim,
    line_of_session,
    sides_of_claim,
    sides_of_session,
    transition_in_words,
)
from leaderboard.queries import pairs, sessions

Facts = tuple[tuple[str, str, str], ...]  # term, text, address


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPage(Page):
    pair: PairLine
    before: VersionSide
    after: VersionSide
    unified_diff: str | None  # as a session's record has it; a corpus has none here
    changes: tuple[Changes, ...] = field(metadata=SCREEN)
    no_changes_because: str = field(metadata=SCREEN)
    answer: str = field(metadata=SCREEN)
    facts: Facts = field(metadata=SCREEN)
    kinds: tuple[tuple[str, str], ...] = field(metadata=SCREEN)  # name, meaning


def build_of_session(query: Query, *, version: int) -> PairPage | None:
    """Return a pair of a public session by the id of its later version; None where nobody may see it."""
    row = pairs.of_session(version)
    if row is None:
        return None
    stored = sessions.session_record(row.session_digest)
    line, sides = line_of_session(row), sides_of_session(row, stored)
    text, changes = changes_of_session(row, stored)
    place = (
        ("Task", row.task.rpartition("/")[2], task_url(row.task)),
        ("Entry", line.name, page_url("configuration", row.configuration)),
        ("Session", "all its versions and steps", page_url("transcript", row.result)),
        ("Result", f"result {row.result}", page_url("result", row.result)),
        ("Run", f"{row.suite} on {row.device}, protocol {row.protocol}", page_url("run", row.run)),
    )
    return _page(line, sides, text, changes, place, (sides[1].no_files_because or "") if text is None else "")


def build_of_claim(query: Query, *, claim: int) -> PairPage | None:
    """Return a pair of a public corpus by the id of its later claim; None where there is none."""
    row = pairs.of_claim(claim)
    if row is None:
        return None
    line, sides = line_of_claim(row), sides_of_claim(row)
    place = (
        ("Task", row.task, ""),
        ("Corpus", f"{line.name}, self-declared", page_url("submission", row.submission)),
        ("Benchmark", row.format, ""),
        ("Licence", row.licence or "not stated", ""),
        ("Outcome", "as claimed, not measured here", ""),
    )
    because = sides[0].no_files_because or sides[1].no_files_because or ""
    return _page(line, sides, None, changes_of_files(*sides), place, because)


def _page(
    line: PairLine,
    sides: tuple[VersionSide, VersionSide],
    text: str | None,
    changes: tuple[Changes, ...],
    place: Facts,
    because: str,
) -> PairPage:
    title, meaning = transition_in_words(line.transition)
    kinds = tuple((KINDS[kind].name, KINDS[kind].sentence) for kind in line.kinds)
    browser = page_url("pairs") + query_string({"origin": line.origin if line.origin == CORPORA else ""}, ("origin",))
    return PairPage(
        title=f"{line.task.rpartition('/')[2].removesuffix('.py')} by {line.name}, {line.step}",
        lead="Two neighbouring versions, one made from the other: what was changed, and what became of it.",
        crumbs=(Link("Iterations", page_url("iterations")), Link("Pairs", browser)),
        pair=line,
        before=sides[0],
        after=sides[1],
        unified_diff=text,
        changes=changes,
        no_changes_because=because or "The two versions are the same, or too long to be compared here.",
        answer=f"{title}: {meaning}. Kinds of edit: {kinds_in_words(line.kinds)}.",
        facts=place,
        kinds=kinds,
    )
