"""Agents' sessions and the versions checked in them, as rows that anybody may have: of no secret round."""

from __future__ import annotations

from django.db.models import BooleanField, ExpressionWrapper, Q

from leaderboard.queries.collection import Collection, Rows, fields, of_run, of_task
from runs.models import AgentSession, Iteration

_HELD_HERE = ExpressionWrapper(Q(attempt__isnull=False), output_field=BooleanField())


def _sessions() -> Rows:
    shown = AgentSession.objects.visible().exclude(ended="").annotate(is_held_here=_HELD_HERE)
    return shown.filter(result__run__state="published", result__published_attempt__isnull=False)


def _iterations() -> Rows:
    shown = Iteration.objects.visible().exclude(session__ended="")
    return shown.filter(session__result__run__state="published", session__result__published_attempt__isnull=False)


SESSIONS = Collection(
    "sessions",
    "One session of an agent each, in which a public answer was written. None is what nobody said.",
    _sessions,
    fields(
        "id integer - Of the row.",
        "result integer result_id Of results.",
        "run integer result__run_id Of runs.",
        "task text result__task__path category/source/name.",
        "configuration text result__run__configuration__slug Its slug.",
        "agent text - As the session names it.",
        "evaluator text - With whose version a built-in agent comes.",
        "model text - As the agent's own stream names it.",
        "architecture text - What was to be written for.",
        "held_here truth is_held_here In a worker of this site; else it came with a bundle.",
        "started_at moment - In UTC.",
        "seconds number - Wall time, checks included.",
        "ended text - finished, timed_out, gave_up, spending_cap or failed.",
        "message text - Why it ended so.",
        "turns integer - Of the agent.",
        "input_tokens integer - Cached ones are among them.",
        "cached_input_tokens integer - Of the input tokens.",
        "output_tokens integer - Written by the model.",
        "tool_calls integer - Of the agent.",
        "cost_usd number - In US dollars.",
        "cost_source text - agent, prices or free.",
        "no_cost_because text - Why there is no cost.",
        "checks integer - Distinct versions that were checked.",
        "failed_builds integer - Of them, those that did not compile.",
        "session_digest text digest sha256 of the session's JSON.",
        "prompt_digest text - sha256 of the exact prompt.",
    ),
    {
        "result": "result",
        "run": "result__run",
        **of_run("result__run__"),
        **of_task("result__task__"),
    },
)
ITERATIONS = Collection(
    "iterations",
    "One distinct version each that an agent had checked in its session.",
    _iterations,
    fields(
        "id integer - Of the row.",
        "session integer session_id Of sessions.",
        "result integer session__result_id Of results.",
        "run integer session__result__run_id Of runs.",
        "task text session__result__task__path category/source/name.",
        "number integer - Counted from 1.",
        "at_s number - Since the session's begin, in seconds.",
        "seconds number - That the check took.",
        "candidate_digest text - sha256 over the version's files.",
        "status text - How the check ended.",
        "message text - What went wrong.",
        "speedup number - Geometric mean over cases of device time; none without a device clock.",
        "added integer - Lines, against the version before or the task's own source.",
        "removed integer - Lines; the diff is in the session's JSON.",
    ),
    {
        "result": "session__result",
        "run": "session__result__run",
        **of_run("session__result__run__"),
        **of_task("session__result__task__"),
        "status": "status",
    },
)
