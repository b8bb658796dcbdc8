"""The collections of public rows, with their columns and filters.

The API, its CSV files and the nightly dump contain exactly these.
"""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from leaderboard.queries.collection import Collection, Rows, fields, run_filters, task_filters
from leaderboard.queries.session_rows import ITERATIONS, SESSIONS
from runs.models import Configuration, Measurement, Result, Run, Task, UnseenMeasurement


def _results() -> Rows:
    return Result.objects.public().annotate(may_rank=Exists(Result.objects.may_rank().filter(pk=OuterRef("pk"))))


def _measurements() -> Rows:
    return Measurement.objects.filter(attempt__published_for__run__state="published")


def _unseen() -> Rows:
    return UnseenMeasurement.objects.visible().filter(evaluation__attempt__published_for__run__state="published")


def _configurations() -> Rows:
    return Configuration.objects.filter(Exists(Run.objects.public().filter(configuration=OuterRef("pk"))))


_RUN, _CASE_OF, _UNSEEN_OF = "run__", "attempt__published_for__", "evaluation__attempt__published_for__"

COLLECTIONS = (
    Collection(
        "runs",
        "Public runs: one configuration on one suite and device class, one repeat.",
        Run.objects.public,
        fields(
            "id integer - Id in the address /run/ID/.",
            "configuration text configuration__slug Slug of the configuration.",
            "agent text configuration__agent__name Name of the agent.",
            "model text configuration__model__name Name of the model; none for agents without one.",
            "model_identifier text configuration__model__identifier Identifier as passed to its provider.",
            "role text configuration__role entry, or reference_line, which is never ranked.",
            "suite text suite__name Suite: a frozen list of tasks.",
            "version integer suite__version Version of the suite.",
            "suite_digest text suite__digest SHA-256 over the suite's tasks and their digests.",
            "device text device_class__slug Device class.",
            "protocol text - Timing protocol; results of two protocols are never ranked together.",
            "repeat integer - Repeat, counted from 0.",
            "round text round__slug Round of unseen cases, if any.",
            "origin text - published, imported or run_here.",
            "verification text - none, checked or reproduced.",
            "reproduced_tasks integer - Tasks whose result was reproduced on our hosts.",
            "verified_tasks integer - Tasks that were evaluated again.",
            "published_at datetime - Time of publication, in UTC.",
            "note text - Free text by its author.",
        ),
        run_filters(""),
    ),
    Collection(
        "results",
        "Public results: the published attempt of each task of each public run.",
        _results,
        fields(
            "id integer - Id in the address /result/ID/.",
            "run integer run_id Id of its run.",
            "task text task__path category/source/name.",
            "task_digest text task__digest Digest of the task as it was evaluated.",
            "category text task__category hip2hip, triton2triton or torch2hip.",
            "configuration text run__configuration__slug Slug of the configuration.",
            "suite text run__suite__name Suite of the run.",
            "version integer run__suite__version Version of the suite.",
            "device text run__device_class__slug Device class of the run.",
            "may_rank boolean - Whether it is eligible for ranking; an entry needs all.",
            "audit text - none, clean, interesting, suspect, hacked, contaminated or harness_fault.",
            "candidate_digest text - SHA-256 over the candidate's files.",
            "attempt integer published_attempt__number Number of the public attempt.",
            "status text published_attempt__status Outcome of the evaluation.",
            "gate text published_attempt__gate Gate that the candidate failed.",
            "reason text published_attempt__reason Code of the reason.",
            "compiled boolean published_attempt__compiled Whether the candidate compiled.",
            "correct boolean published_attempt__correct Whether every seen case was correct.",
            "flags json published_attempt__flags hold, noisy, host_bound, censored, functional …",
            "is_held boolean published_attempt__is_held Whether it is on hold until a reviewer has checked it.",
            "is_uncalibrated boolean published_attempt__is_uncalibrated Whether its host had no accepted calibration.",
            "log_speedup number published_attempt__log_speedup Mean of ln(baseline / candidate) over eligible cases.",
            "log_speedup_low number published_attempt__log_speedup_low End of its 95 % interval; none if unbounded.",
            "log_speedup_high number published_attempt__log_speedup_high End of its 95 % interval; none if unbounded.",
            "cautious_log_speedup number published_attempt__cautious_log_speedup The value that metrics use.",
            "paper_speedup number published_attempt__paper_speedup Speedup on the paper's clock for the category.",
            "timed_by text published_attempt__protocol Protocol of its record; it is ranked only if that is the run's.",
            "evaluator text published_attempt__evaluator Version of the evaluator.",
            "record_digest text published_attempt__record_digest SHA-256 of the record.",
            "ended_at datetime published_attempt__ended_at End of the evaluation, in UTC.",
        ),
        {
            "run": "run",
            **run_filters(_RUN),
            **task_filters("task__"),
            "status": "published_attempt__status",
            "audit": "audit",
            "may_rank": "may_rank",
        },
    ),
    Collection(
        "measurements",
        "Seen cases of public results: times and correctness of baseline and candidate.",
        _measurements,
        fields(
            "id integer - Id of the row.",
            "result integer attempt__published_for__id Id of its result.",
            "run integer attempt__published_for__run_id Id of its run.",
            "task text attempt__published_for__task__path category/source/name.",
            "case text - Sorted axis=value pairs.",
            "profile text - small or full.",
            "correct boolean - Whether the candidate was correct; none if the case was not reached.",
            "baseline_correct boolean - Whether the baseline was correct.",
            "draws integer - Input draws that were correct.",
            "relative_rmse number - Relative RMSE of the candidate against the reference.",
            "allowed_rmse number - Limit of the relative RMSE.",
            "baseline_rmse number - Relative RMSE of the baseline.",
            "first_call_ms number - Time of the candidate's first call, with compilation of kernels.",
            "baseline_t_dev_ms number - Median device time of a call.",
            "candidate_t_dev_ms number - Median device time of a call.",
            "log_ratio number - ln(baseline / candidate) of device time; above 0: the candidate is faster.",
            "log_ratio_variance number - Variance between sessions.",
            "log_ratio_low number - End of its 95 % interval; none if unbounded.",
            "log_ratio_high number - End of its 95 % interval; none if unbounded.",
            "is_eligible boolean - Whether it takes long enough on this device to enter speed metrics.",
            "is_censored boolean - Whether the candidate is faster than the clock can measure; the ratio is a bound.",
            "is_noisy boolean - Whether metrics use the end of the interval nearer to 1.",
        ),
        {
            "result": "attempt__published_for",
            "run": "attempt__published_for__run",
            **run_filters(f"{_CASE_OF}run__"),
            **task_filters(f"{_CASE_OF}task__"),
        },
    ),
    Collection(
        "unseen",
        "Unseen cases of public results, from revealed rounds only.",
        _unseen,
        fields(
            "id integer - Id of the row.",
            "result integer evaluation__attempt__published_for__id Id of its result.",
            "run integer evaluation__attempt__published_for__run_id Id of its run.",
            "task text evaluation__attempt__published_for__task__path category/source/name.",
            "round text evaluation__round__slug Round that the case belongs to.",
            "case text - Sorted axis=value pairs.",
            "config_category text category edge, scale_up, scale_down, alignment, asymmetric or production.",
            "profile text - small or full.",
            "origin text - Who proposed the case.",
            "is_error boolean - Whether our evaluation failed; not counted in any rate.",
            "baseline_correct boolean - Whether the baseline was correct.",
            "correct boolean - Whether the candidate was correct.",
            "baseline_reason text - Code of the baseline's failure.",
            "reason text - Code of the candidate's failure.",
            "log_ratio number - ln(baseline / candidate) of device time.",
            "log_ratio_low number - End of its 95 % interval; none if unbounded.",
            "log_ratio_high number - End of its 95 % interval; none if unbounded.",
            "is_eligible boolean - Whether it takes long enough on this device to enter speed metrics.",
            "is_censored boolean - Whether the candidate is faster than the clock can measure; the ratio is a bound.",
            "is_noisy boolean - Whether metrics use the end of the interval nearer to 1.",
        ),
        {
            "result": "evaluation__attempt__published_for",
            "run": "evaluation__attempt__published_for__run",
            "round": "evaluation__round__slug",
            **run_filters(f"{_UNSEEN_OF}run__"),
            **task_filters(f"{_UNSEEN_OF}task__"),
        },
    ),
    SESSIONS,
    ITERATIONS,
    Collection(
        "configurations",
        "Configurations with public runs: agent, model and settings.",
        _configurations,
        fields(
            "id integer - Id of the row.",
            "slug text - Slug in the address /configuration/SLUG/.",
            "agent text agent__name Name of the agent.",
            "agent_kind text agent__kind built_in or external.",
            "model text model__name Name of the model.",
            "model_identifier text model__identifier Identifier as passed to its provider.",
            "vendor text model__vendor Vendor of the model.",
            "role text - entry, or reference_line, which is never ranked.",
            "settings json - All other settings of the configuration.",
            "settings_digest text - SHA-256 of the settings.",
        ),
        {"agent": "agent__name", "model": "model__name", "role": "role"},
    ),
    Collection(
        "tasks",
        "All versions of all tasks.",
        Task.objects.all,
        fields(
            "id integer - Id of the row.",
            "path text - Path: category/source/name, in the address /task/PATH/.",
            "digest text - SHA-256 over the task's files.",
            "category text - hip2hip, triton2triton or torch2hip.",
            "source text - arena, or the source it was imported from.",
            "name text - Name of the task.",
            "is_current boolean - Whether it is the version that new runs use.",
            "description text - Description of what the kernel computes.",
            "editable json - Files that a candidate may contain.",
            "cases json - Seen cases: id, profile, axes.",
            "provenance json - Origin of the problem.",
        ),
        {"category": "category", "source": "source", "task": "path", "is_current": "is_current"},
    ),
)
BY_NAME = {collection.name: collection for collection in COLLECTIONS}
