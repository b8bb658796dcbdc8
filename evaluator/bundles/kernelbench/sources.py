"""The candidate's source among files that only their names bind to it."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.bundles.reading import Reading


def only_source(reading: Reading, place: str, task: str, paths: Sequence[str]) -> str | None:
    """The path of the source; None without a file, and None and a finding for files that differ."""
    if len({reading.files[path] for path in paths}) > 1:
        reading.find("ambiguous_source", place, ", ".join(paths), task)
        return None
    return paths[0] if paths else None
