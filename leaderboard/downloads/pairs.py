"""Pairs of neighbouring versions of public sessions, a JSON object a line, made while they are sent.

The fields that a line of KernelBench-X's corpus has come first, with its names and words, so that what reads that
corpus reads this. It calls an iteration a round. What a session does not record is null.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.records.sessions import SessionRecord
from evaluator.records.transitions import NO_VERDICT, RIGHT
from leaderboard.pages.pairs.facts import diff_of_session, versions_of_session
from leaderboard.queries import pairs, sessions
from leaderboard.queries.pairs import PairRow
from leaderboard.statistics.trajectories import COMPILED

Files = dict[str, str] | None
NOT_RECORDED = ("dtype", "runtime_ms", "gbs", "tflops", "maintainability")
NOT_COMPUTED = ("similarity_ratio", "opcodes_len")
FASTER = "speedup_increase"


def pair_lines(filters: Mapping[str, str]) -> Iterator[str]:
    """All pairs that match, oldest first; one session is in memory at a time."""
    digest, stored = "", None
    for row in pairs.stream(filters):
        if row.session_digest != digest:
            digest, stored = row.session_digest, sessions.session_record(row.session_digest)
        yield json.dumps(_line(row, stored), ensure_ascii=False, allow_nan=False) + "\n"


def _line(row: PairRow, stored: SessionRecord | None) -> dict[str, Any]:
    before, after = versions_of_session(row, stored)
    sides = (
        _side(row.status_before, row.message_before, row.speedup_before),
        _side(row.status, row.message, row.speedup),
    )
    first, then = f"round_{row.previous}", f"round_{row.number}"
    return {
        "task_id": row.task,
        "transition": f"{first}_to_{then}",
        "from_round": first,
        "to_round": then,
        "kind": ",".join(_tags(*sides)),
        "before": sides[0],
        "after": sides[1],
        "before_code_present": before is not None,
        "after_code_present": after is not None,
        "before_code": _only(before),
        "after_code": _only(after),
        "unified_diff": diff_of_session(row, stored),
        "diff_stats": {"lines_a": _lines(before), "lines_b": _lines(after)} | dict.fromkeys(NOT_COMPUTED),
        "llm_fields": None,
        "notes": "",
        **_own(row, before, after),
    }


def _own(row: PairRow, before: Files, after: Files) -> dict[str, Any]:
    """What KernelBench-X's corpus does not have."""
    about = ("task_digest", "category", "suite", "device", "protocol", "configuration", "agent", "model")
    return {
        "version": row.id,
        "run": row.run,
        "result": row.result,
        **{name: getattr(row, name) for name in about},
        "outcome": row.transition,
        "kinds_of_edit": row.kinds.split() or None,
        "before_status": row.status_before,
        "after_status": row.status,
        "added": row.added,
        "removed": row.removed,
        "before_files": before,
        "after_files": after,
        "after_candidate_digest": row.candidate_digest,
    }


def _side(status: str, message: str, speedup: float | None) -> dict[str, Any]:
    """An outcome in the corpus's words; null where a version has no verdict through no fault of its own."""
    is_judged = status not in NO_VERDICT
    return {
        "call_ok": status in COMPILED if is_judged else None,
        "exe_ok": status in RIGHT if is_judged else None,
        "perf_ok": status in RIGHT and speedup is not None if is_judged else None,
        **dict.fromkeys(NOT_RECORDED),
        "speedup": speedup,
        "error": message or None,
    }


def _tags(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """The corpus's tags of a pair, which follow from the two outcomes."""
    if (before["exe_ok"], after["exe_ok"]) == (False, True):
        yield "exe_fail_to_pass"
    if (before["call_ok"], after["call_ok"]) == (False, True):
        yield "call_fail_to_pass"
    if (before["perf_ok"], after["perf_ok"]) == (False, True):
        yield "perf_ok_newly"
    for name in ("exe", "perf"):
        if (before[f"{name}_ok"], after[f"{name}_ok"]) == (True, False):
            yield f"regression_{name}"
    if before["perf_ok"] and after["perf_ok"] and after["speedup"] > before["speedup"]:
        yield FASTER


def _only(files: Files) -> str | None:
    """The text of a version that has one file; one that has several has them in `before_files` and `after_files`."""
    return next(iter(files.values())) if files is not None and len(files) == 1 else None


def _lines(files: Files) -> int | None:
    return None if files is None else sum(len(text.splitlines()) for text in files.values())
