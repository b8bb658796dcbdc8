"""What of the rows is public, each kind with its columns and their meaning, and what it can be narrowed to.

One list for the API, for CSV and for the nightly dump: what is not here is on none of them.
"""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from leaderboard.queries.collection import Collection, Rows, fields, of_run, of_task
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
            "id integer - Of the page /run/ID/.",
            "configuration text configuration__slug Its slug.",
            "agent text configuration__agent__name The agent's name.",
            "model text configuration__model__name The model's name; none for agents without one.",
            "model_identifier text configuration__model__identifier As it was asked for from its provider.",
            "role text configuration__role entry, or reference_line, which never ranks.",
            "suite text suite__name The frozen list of tasks.",
            "version integer suite__version Of the suite.",
            "suite_digest text suite__digest sha256 over the suite's tasks and their digests.",
            "device text device_class__slug The device class.",
            "protocol text - How boards time; results of two protocols never mix.",
            "repeat integer - Counted from 0.",
            "round text round__slug The round of unseen cases, if any.",
            "origin text - published, imported or run_here.",
            "verification text - none, checked or reproduced.",
            "reproduced_tasks integer - Tasks whose result a host of ours reproduced.",
            "verified_tasks integer - Tasks that were tried again.",
            "published_at moment - When it became public, in UTC.",
            "note text - Free text of who made it.",
        ),
        of_run(""),
    ),
    Collection(
        "results",
        "Public answers: what the published attempt of each task of each public run came to.",
        _results,
        fields(
            "id integer - Of the page /result/ID/.",
            "run integer run_id Of runs.",
            "task text task__path category/source/name.",
            "task_digest text task__digest sha256 of the task as it was judged.",
            "category text task__category hip2hip, triton2triton or torch2hip.",
            "configuration text run__configuration__slug Its slug.",
            "suite text run__suite__name The run's suite.",
            "version integer run__suite__version Of the suite.",
            "device text run__device_class__slug The run's device class.",
            "may_rank truth - Whether it may enter a rank; an entry ranks only when all its answers may.",
            "audit text - none, clean, interesting, suspect, hacked, contaminated or harness_fault.",
            "candidate_digest text - sha256 over the candidate's files.",
            "attempt integer published_attempt__number Which attempt is the public one.",
            "status text published_attempt__status How the evaluation ended.",
            "gate text published_attempt__gate The gate that turned the candidate away.",
            "reason text published_attempt__reason The code of why.",
            "compiled truth published_attempt__compiled The candidate was built.",
            "correct truth published_attempt__correct Every seen case was right.",
            "flags json published_attempt__flags hold, noisy, host_bound, censored, functional …",
            "is_held truth published_attempt__is_held On hold until a person has looked.",
            "is_uncalibrated truth published_attempt__is_uncalibrated From a host without an accepted calibration.",
            "log_speedup number published_attempt__log_speedup Mean of ln(baseline / candidate) over eligible cases.",
            "log_speedup_low number published_attempt__log_speedup_low Of its interval at 95 %; none: no bound.",
            "log_speedup_high number published_attempt__log_speedup_high Of its interval at 95 %; none: no bound.",
            "cautious_log_speedup number published_attempt__cautious_log_speedup What metrics take.",
            "paper_speedup number published_attempt__paper_speedup On the paper's clock of the category.",
            "timed_by text published_attempt__protocol The protocol of its record; ranks only if it is the run's.",
            "evaluator text published_attempt__evaluator The evaluator's version.",
            "record_digest text published_attempt__record_digest sha256 of the record.",
            "ended_at moment published_attempt__ended_at When the evaluation ended, in UTC.",
        ),
        {
            "run": "run",
            **of_run(_RUN),
            **of_task("task__"),
            "status": "published_attempt__status",
            "audit": "audit",
            "may_rank": "may_rank",
        },
    ),
    Collection(
        "measurements",
        "One seen case of a public answer each: both sides' times and whether they were right.",
        _measurements,
        fields(
            "id integer - Of the row.",
            "result integer attempt__published_for__id Of results.",
            "run integer attempt__published_for__run_id Of runs.",
            "task text attempt__published_for__task__path category/source/name.",
            "case text - Sorted axis=value pairs.",
            "profile text - small or full.",
            "correct truth - The candidate; none where the case was not reached.",
            "baseline_correct truth - The baseline.",
            "draws integer - Judged sets of values that were right.",
            "relative_rmse number - Of the candidate against the reference.",
            "allowed_rmse number - What it may be.",
            "baseline_rmse number - The baseline's own.",
            "first_call_ms number - The candidate's first call, compilation of kernels included.",
            "baseline_t_dev_ms number - Device time of a call, median.",
            "candidate_t_dev_ms number - Device time of a call, median.",
            "log_ratio number - ln(baseline / candidate) of device time; above 0: the candidate is faster.",
            "log_ratio_variance number - Between sessions.",
            "log_ratio_low number - Of its interval at 95 %; none: no bound.",
            "log_ratio_high number - Of its interval at 95 %; none: no bound.",
            "is_eligible truth - Long enough on this device to enter speed metrics.",
            "is_censored truth - The candidate is below what can be measured: the ratio is to that, and a bound.",
            "is_noisy truth - Metrics take the end of the interval nearer to 1.",
        ),
        {
            "result": "attempt__published_for",
            "run": "attempt__published_for__run",
            **of_run(f"{_CASE_OF}run__"),
            **of_task(f"{_CASE_OF}task__"),
        },
    ),
    Collection(
        "unseen",
        "One unseen case of a public answer each, of revealed rounds only.",
        _unseen,
        fields(
            "id integer - Of the row.",
            "result integer evaluation__attempt__published_for__id Of results.",
            "run integer evaluation__attempt__published_for__run_id Of runs.",
            "task text evaluation__attempt__published_for__task__path category/source/name.",
            "round text evaluation__round__slug Whose secret gave the case.",
            "case text - Sorted axis=value pairs.",
            "config_category text category edge, scale_up, scale_down, alignment, asymmetric or production.",
            "profile text - small or full.",
            "origin text - Who thought of the case.",
            "is_error truth - Our fault: in no denominator.",
            "baseline_correct truth - The baseline.",
            "correct truth - The candidate.",
            "baseline_reason text - The code of why not.",
            "reason text - The code of why not.",
            "log_ratio number - ln(baseline / candidate) of device time.",
            "log_ratio_low number - Of its interval at 95 %; none: no bound.",
            "log_ratio_high number - Of its interval at 95 %; none: no bound.",
            "is_eligible truth - Long enough on this device to enter speed metrics.",
            "is_censored truth - The candidate is below what can be measured: the ratio is to that, and a bound.",
            "is_noisy truth - Metrics take the end of the interval nearer to 1.",
        ),
        {
            "result": "evaluation__attempt__published_for",
            "run": "evaluation__attempt__published_for__run",
            "round": "evaluation__round__slug",
            **of_run(f"{_UNSEEN_OF}run__"),
            **of_task(f"{_UNSEEN_OF}task__"),
        },
    ),
    SESSIONS,
    ITERATIONS,
    Collection(
        "configurations",
        "Agent, model and settings of what has public runs.",
        _configurations,
        fields(
            "id integer - Of the row.",
            "slug text - Of the page /configuration/SLUG/.",
            "agent text agent__name The agent's name.",
            "agent_kind text agent__kind built_in or external.",
            "model text model__name The model's name.",
            "model_identifier text model__identifier As it was asked for from its provider.",
            "vendor text model__vendor Who offers the model.",
            "role text - entry, or reference_line, which never ranks.",
            "settings json - Whatever else distinguishes it.",
            "settings_digest text - sha256 of the settings.",
        ),
        {"agent": "agent__name", "model": "model__name", "role": "role"},
    ),
    Collection(
        "tasks",
        "Every version of every task.",
        Task.objects.all,
        fields(
            "id integer - Of the row.",
            "path text - category/source/name; the page is /task/PATH/.",
            "digest text - sha256 over the task's files.",
            "category text - hip2hip, triton2triton or torch2hip.",
            "source text - arena, or where it was imported from.",
            "name text - The task's name.",
            "is_current truth - The version that is run now.",
            "description text - What the kernel computes.",
            "editable json - The files that a candidate may hand in.",
            "cases json - Seen cases: id, profile, axes.",
            "provenance json - Where the problem comes from.",
        ),
        {"category": "category", "source": "source", "task": "path", "is_current": "is_current"},
    ),
)
BY_NAME = {collection.name: collection for collection in COLLECTIONS}
