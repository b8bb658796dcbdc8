"""Public rows of agents' sessions and of the versions checked in them, without those of secret rounds."""

from __future__ import annotations

from django.db.models import BooleanField, ExpressionWrapper, Q

from leaderboard.queries.collection import Collection, Rows, fields, run_filters, task_filters
from runs.models import AgentSession, Iteration

_RAN_HERE = ExpressionWrapper(Q(attempt__isnull=False), output_field=BooleanField())


def public_sessions() -> Rows:
    """Ended sessions of public results, outside secret rounds."""
    shown = AgentSession.objects.visible().exclude(ended="").annotate(is_run_here=_RAN_HERE)
    return shown.filter(result__run__state="published", result__published_attempt__isnull=False)


def public_iterations() -> Rows:
    """Versions that were checked in them."""
    shown = Iteration.objects.visible().exclude(session__ended="")
    return shown.filter(session__result__run__state="published", session__result__published_attempt__isnull=False)


SESSIONS = Collection(
    "sessions",
    "Agents' sessions in which public results were written. None is what was not reported.",
    public_sessions,
    fields(
        "id integer - Id of the row.",
        "result integer result_id Id of its result.",
        "run integer result__run_id Id of its run.",
        "task text result__task__path category/source/name.",
        "configuration text result__run__configuration__slug Slug of the configuration.",
        "agent text - Agent, as named by the session.",
        "evaluator text - Version of the evaluator, which a built-in agent is part of.",
        "model text - Model, as named by the agent's own stream.",
        "architecture text - Architecture that the agent wrote for.",
        "run_here boolean is_run_here Whether it ran on this site; otherwise it came with a bundle.",
        "started_at datetime - Start, in UTC.",
        "seconds number - Wall time, checks included.",
        "ended text - finished, timed_out, gave_up, spending_cap or failed.",
        "message text - Reason for its end.",
        "turns integer - Turns of the agent.",
        "input_tokens integer - Input tokens, with cached ones.",
        "cached_input_tokens integer - Cached input tokens.",
        "output_tokens integer - Output tokens of the model.",
        "tool_calls integer - Tool calls of the agent.",
        "cost_usd number - Cost in US dollars.",
        "cost_source text - agent, prices or free.",
        "no_cost_because text - Reason why no cost is known.",
        "checks integer - Distinct versions that were checked.",
        "failed_builds integer - Checked versions that did not compile.",
        "session_digest text digest SHA-256 of the session's JSON.",
        "prompt_digest text - SHA-256 of the exact prompt.",
    ),
    {
        "result": "result",
        "run": "result__run",
        **run_filters("result__run__"),
        **task_filters("result__task__"),
    },
)
ITERATIONS = Collection(
    "iterations",
    "Distinct versions that agents had checked in their sessions.",
    public_iterations,
    fields(
        "id integer - Id of the row.",
        "session integer session_id Id of its session.",
        "result integer session__result_id Id of its result.",
        "run integer session__result__run_id Id of its run.",
        "task text session__result__task__path category/source/name.",
        "number integer - Number of the version, counted from 1.",
        "at_s number - Time of the check, in seconds since the start of the session.",
        "seconds number - Duration of the check.",
        "candidate_digest text - SHA-256 over the version's files.",
        "status text - Outcome of the check.",
        "message text - Reason of a failure.",
        "speedup number - Geometric mean over cases, on the device clock; none without one.",
        "added integer - Lines added to the version that it was made from, or to the task's source.",
        "removed integer - Lines removed; the diff is in the session's JSON.",
        "is_last boolean - Whether no version of its session was checked after it.",
        "is_solved boolean - Whether it or a version before it passed.",
        "best_speedup number - The largest speedup of those that passed, up to it.",
        "previous integer - Number of the version that it was made from; none where that is the task's own source.",
        "previous_status text - Outcome of that version; empty where there is none.",
        "transition text - rescued, lost, faster, slower, same, untimed, still_wrong or unknown; empty without one.",
        "kinds text - Kinds of edit, with spaces between; empty where they are not known.",
    ),
    {
        "result": "session__result",
        "run": "session__result__run",
        **run_filters("session__result__run__"),
        **task_filters("session__result__task__"),
        "status": "status",
        "transition": "transition",
    },
)
