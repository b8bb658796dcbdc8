"""An agent session as columns of its row and as plain text. Pure functions; `runs.services` writes the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from evaluator.records import sessions as evaluated
from evaluator.records.edits import kinds_of_diff
from evaluator.records.reasons import Status
from evaluator.records.sessions import TranscriptEntry
from evaluator.records.transitions import transition
from evaluator.secrets import mask_text
from runs import redaction
from runs.models import AgentSession, Iteration

TAIL_CHARACTERS = 8_000
PROGRAMS = ("block_tuner",)  # built-in agents that call no model: their sessions cost nothing
Source = AgentSession.CostSource


def columns(session: evaluated.SessionRecord) -> dict[str, Any]:
    """Return the columns that a session record decides, without its digests."""
    cost_usd, source, because = cost_of(session)
    used = session.usage
    return {
        "agent": session.agent[:100],
        "evaluator": session.evaluator[:30],
        "architecture": session.architecture[:20],
        "started_at": datetime.fromisoformat(session.started_at),
        "seconds": session.seconds,
        "ended": session.ended,
        "message": shown(session.message or ""),
        "model": (used.model or "")[:200],
        "turns": used.turns,
        "input_tokens": used.input_tokens,
        "cached_input_tokens": used.cached_input_tokens,
        "output_tokens": used.output_tokens,
        "tool_calls": used.tool_calls,
        "cost_usd": cost_usd,
        "cost_source": source,
        "no_cost_because": because,
        "checks": len(session.iterations),
        "failed_builds": sum(one.status is Status.BUILD_FAILED for one in session.iterations),
        "tail": tail_of(text_of(entry) for entry in session.transcript),
    }


def cost_of(session: evaluated.SessionRecord) -> tuple[float | None, str, str]:
    """Return (cost in US dollars, its `CostSource`, ""), or (None, "", the reason why there is no cost)."""
    cost, settings = session.usage.cost_usd, session.settings
    priced = all(settings.get(name, "null") != "null" for name in ("input_price", "output_price"))
    if cost is not None:
        free = session.agent in PROGRAMS and cost == 0
        return cost, Source.FREE if free else Source.PRICES if priced else Source.AGENT, ""
    if priced:
        return None, "", "the endpoint did not report the tokens of every request"
    if "input_price" in settings:
        return None, "", "the configuration sets no token prices"
    return None, "", "the agent reported no cost"


def iterations(row: AgentSession, session: evaluated.SessionRecord) -> list[Iteration]:
    """Return one unsaved row for each version that was checked."""
    return [
        Iteration(
            session=row,
            number=one.number,
            at_s=one.at_s,
            seconds=one.seconds,
            candidate_digest=one.digest,
            status=one.status.value,
            message=shown(one.message or ""),
            speedup=one.speedup,
            added=_lines(one.diff, "+"),
            removed=_lines(one.diff, "-"),
            **step,
        )
        for one, step in zip(session.iterations, _steps(session.iterations), strict=True)
    ]


def _steps(versions: Sequence[evaluated.IterationRecord]) -> Iterator[dict[str, Any]]:
    """Yield for each version the columns that compare it with the one that it was made from, and with all before it."""
    is_solved, best = False, None
    for one in versions:
        if one.status is Status.PASSED:
            is_solved = True
            best = max(filter(None, (best, one.speedup)), default=None)
        found: dict[str, Any] = {"is_last": one is versions[-1], "is_solved": is_solved, "best_speedup": best}
        if one.previous is not None:
            before = versions[one.previous - 1]
            statuses = (before.status.value, one.status.value)
            found |= {"previous": one.previous, "previous_status": statuses[0]}
            found["transition"] = transition(*statuses, before.speedup, one.speedup)
        yield found | {"kinds": " ".join(kinds_of_diff(one.diff))}


def text_of(news: TranscriptEntry | evaluated.IterationRecord) -> str:
    """Return a transcript entry or a checked version as lines of plain text."""
    if isinstance(news, TranscriptEntry):
        where = "" if news.conversation is None else f"of conversation {news.conversation}"
        words = news.kind.replace("_", " "), news.tool, where, "(failed)" * news.failed
        title = " ".join(word for word in words if word)
        return f"── {title}\n{news.text.rstrip()}\n"
    speed = f", {news.speedup:.3f}×" if news.speedup is not None else ""
    return f"── version {news.number}: {news.status.value.replace('_', ' ')}{speed}, {news.seconds:.1f} s\n"


def tail_of(texts: Iterable[str]) -> str:
    """Return the last `TAIL_CHARACTERS` of the texts, plain and without secrets."""
    last, size = list[str](), 0
    for text in reversed(list(texts)):
        last.append(text)
        size += len(text)
        if size >= TAIL_CHARACTERS:
            break
    whole = shown("\n".join(reversed(last)))
    return whole if len(whole) <= TAIL_CHARACTERS else f"…{whole[-TAIL_CHARACTERS:]}"


def shown(text: str) -> str:
    """Return the text as plain characters, without private paths and without this host's secrets."""
    return mask_text(redaction.without_secrets(text))


def transcript_of(session: evaluated.SessionRecord) -> str:
    """Return the whole transcript, plain and without secrets."""
    return "\n".join(shown(text_of(entry)) for entry in session.transcript)


def _lines(diff: str, sign: str) -> int:
    header = sign * 3
    return sum(line.startswith(sign) and not line.startswith(f"{header} ") for line in diff.splitlines())
