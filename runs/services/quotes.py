"""Lines that an audit quotes: found in the candidate's source, or taken from it by their place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from evaluator.inside.excerpts import cut
from runs import archive
from runs.archive import ArchiveError
from runs.errors import RunError
from runs.models import Result

Sources = Mapping[str, Sequence[str]]  # path → its lines
BETWEEN = ("…", "...")  # a line of its own between two passages
SHOWN = 80  # characters of a line that is not there
_PLACE = re.compile(r"(?P<path>.+):(?P<first>[1-9]\d{0,6})(?:[-–](?P<last>[1-9]\d{0,6}))?")


def sources_of(result: Result) -> dict[str, list[str]]:
    """Return the lines of the candidate's files by their path; none where it has none or they were taken down.

    Raises:
        RunError: a file cannot be read.
    """
    try:
        files = {path: archive.get(digest) for path, digest in sorted(result.candidate_files.items())}
    except ArchiveError as error:
        raise RunError(f"the source of {result} cannot be read: {error}") from error
    return {path: data.decode(errors="replace").splitlines() for path, data in files.items()}


def checked_quote(sources: Sources, place: str, quote: str) -> tuple[str, str]:
    """Return the place of the quoted lines and the lines: each is found by the other, and both have to agree.

    Indentation and blank lines do not count. A line with nothing but … parts two passages.

    Raises:
        RunError: the source has no such lines, or nothing at that place.
    """
    place, passages = place.strip(), [lines for lines in _passages(quote) if lines]
    if not place and not passages:
        return "", ""
    if not sources:
        raise RunError("this result has no source here, so no line of it can be quoted: give the reason alone")
    if not passages:
        return place, "\n…\n".join("\n".join(lines) for lines in _at(sources, place))
    if not place:
        return ", ".join(_found(sources, passage) for passage in passages), quote
    if [_stripped(lines) for lines in _at(sources, place)] != passages:
        raise RunError(f"at {place} stand other lines than the quoted ones: leave one of the two empty")
    return place, quote


def _passages(quote: str) -> Iterator[list[str]]:
    passage: list[str] = []
    for line in quote.splitlines():
        if line.strip() in BETWEEN:
            yield passage
            passage = []
        elif line.strip():
            passage.append(line.strip())
    yield passage


def _at(sources: Sources, place: str) -> Iterator[list[str]]:
    """Yield the lines at each of the places, which commas part."""
    for one in place.split(","):
        found = _PLACE.fullmatch(one.strip())
        lines = sources.get(found["path"]) if found else None
        if found is None or lines is None:
            expected = f"one of {', '.join(sources)} with its lines, such as {next(iter(sources))}:3-5"
            raise RunError(f"seen {cut(one.strip(), SHOWN)!r} as a place; expected {expected}")
        first, last = int(found["first"]), int(found["last"] or found["first"])
        if not first <= last <= len(lines):
            raise RunError(f"seen the lines {first} to {last}; {found['path']} has the lines 1 to {len(lines)}")
        yield list(lines[first - 1 : last])


def _found(sources: Sources, passage: Sequence[str]) -> str:
    """Return the first place at which the passage stands."""
    for path, lines in sources.items():
        numbered = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
        for start in range(len(numbered) - len(passage) + 1):
            here = numbered[start : start + len(passage)]
            if [line for _, line in here] == list(passage):
                first, last = here[0][0], here[-1][0]
                return f"{path}:{first}" if first == last else f"{path}:{first}-{last}"
    there = {line.strip() for lines in sources.values() for line in lines}
    missing = next((line for line in passage if line not in there), None)
    if missing is None:
        raise RunError("the quoted lines do not follow each other in one file: put a line with … between passages")
    raise RunError(f"the quoted line {cut(missing, SHOWN)!r} is not in the candidate's source ({', '.join(sources)})")


def _stripped(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines if line.strip()]
