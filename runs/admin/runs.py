"""Runs, results and attempts in the admin: run again, pause, cancel, publish, take back. Every write is a service's."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from evaluator.wording import counted
from runs.admin.base import AdminAction, Door, OnceMade, ReadOnly, actions, user_of
from runs.admin.sessions import RunForm
from runs.models import Agent, Attempt, Configuration, Result, Run, Suite
from runs.people.rights import may_publish, may_run
from runs.services import entries, publishing, starts

UNCHANGED = "queued; nothing published changes until you publish"
QUEUED = (f"attempt {UNCHANGED}", f"attempts {UNCHANGED}")
RERUNNING = (
    "A new attempt is queued for each result. What is published stays as it is until you publish the new one. An agent"
    " whose session ended without a candidate works again, and may spend again; where the run was public it does not:"
    " start a run of another repeat."
)
CANCELLING = "What waits ends at once, what runs at its worker's next heartbeat; its verdict counts no more."
RUN_ACTS = actions(
    AdminAction(
        "pause",
        "Pause",
        "rerun",
        "What waits keeps its place and is taken by no worker until you resume. What runs already ends.",
        ("run paused", "runs paused"),
        lambda run, asked: bool(entries.pause_run(run=run, **asked)),
    ),
    AdminAction(
        "resume",
        "Resume",
        "rerun",
        "What waits is taken again, in its old place in the queue.",
        ("run resumed", "runs resumed"),
        lambda run, asked: bool(entries.resume_run(run=run, **asked)),
    ),
    AdminAction(
        "cancel",
        "Cancel open attempts",
        "rerun",
        CANCELLING,
        ("attempt cancelled", "attempts cancelled"),
        lambda run, asked: entries.cancel_results(results=run.results.all(), **asked),
    ),
    AdminAction(
        "rerun",
        "Run every result again",
        "rerun",
        RERUNNING,
        QUEUED,
        lambda run, asked: len(entries.rerun_results(results=run.results.all(), **asked)),
    ),
    AdminAction(
        "rerun_failed",
        "Run again what did not pass",
        "rerun",
        RERUNNING,
        QUEUED,
        lambda run, asked: len(entries.rerun_failed(run=run, **asked)),
    ),
    AdminAction(
        "publish",
        "Publish, with the newest answer of every result",
        "publish",
        "Everybody sees them on the boards from now on, with the newest answer of every result.",
        ("run published", "runs published"),
        lambda run, asked: bool(publishing.publish_run(run=run, **asked)),
    ),
    AdminAction(
        "withdraw",
        "Withdraw",
        "publish",
        "They leave the boards; their pages and history stay, with your reason on them.",
        ("run withdrawn", "runs withdrawn"),
        lambda run, asked: bool(publishing.withdraw_run(run=run, **asked)),
        needs_reason=True,
    ),
    AdminAction(
        "undo",
        "Take back the last publication or withdrawal",
        "publish",
        "A withdrawn run is public again with the answers it had; a published one is withdrawn.",
        ("run is as it was before", "runs are as they were before"),
        lambda run, asked: bool(publishing.undo_run(run=run, **asked)),
        needs_reason=True,
    ),
)
RESULT_ACTS = actions(
    AdminAction(
        "rerun",
        "Run again",
        "rerun",
        RERUNNING,
        QUEUED,
        lambda result, asked: len(entries.rerun_results(results=[result], **asked)),
    ),
    AdminAction(
        "cancel",
        "Cancel open attempts",
        "rerun",
        CANCELLING,
        ("attempt cancelled", "attempts cancelled"),
        lambda result, asked: entries.cancel_results(results=[result], **asked),
    ),
    AdminAction(
        "publish",
        "Publish the newest answer",
        "publish",
        "Each shows its newest answer from now on; the one before stays in its history.",
        ("result shows a newer answer", "results show a newer answer"),
        lambda result, asked: publishing.publish_results(results=[result], **asked),
    ),
    AdminAction(
        "undo",
        "Take back the last publication",
        "publish",
        "Each shows the answer again that its newest publication replaced.",
        ("result shows the answer before", "results show the answer before"),
        lambda result, asked: publishing.undo_results(results=[result], **asked),
        needs_reason=True,
    ),
)


class Keeper(Door):
    """Who may run again, and who may publish."""

    def has_rerun_permission(self, request: HttpRequest) -> bool:
        return may_run(request.user)

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return may_publish(request.user)


@admin.register(Run)
class RunAdmin(Keeper, OnceMade):
    """Adding runs queues all tasks of a suite: a reference agent writes its candidates at once, others in sessions."""

    list_display = ("id", "configuration", "suite", "state_here", "progress", "device_class", "repeat", "origin")
    list_select_related = ("configuration", "suite", "device_class")
    list_filter = ("state", "origin", "device_class")
    actions = RUN_ACTS

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        return Run.objects.with_progress()

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **kwargs, **({"form": RunForm} if obj is None else {}))

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        made: tuple[str, ...] = ("configuration", "suite", "device_class", "repeat", "round", "note")
        made = (*made, "repeats", "may_spend") if obj is None else made
        later = ("state", "paused_at", "origin", "verification", "protocol", "created_at", "created_by", "published_at")
        return made if obj is None else made + later

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else ("created_at",)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "configuration":
            kwargs["queryset"] = Configuration.objects.filter(agent__kind=Agent.Kind.BUILT_IN)
        if db_field.name == "suite":
            kwargs["queryset"] = Suite.objects.filter(is_current=True)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def view_on_site(self, run: Run) -> str:
        return reverse("leaderboard:run", args=[run.pk])

    @admin.display(description="State")
    def state_here(self, run: Run) -> str:
        return f"{run.get_state_display()}, paused" if run.paused_at else run.get_state_display()

    @admin.display(description="Ended")
    def progress(self, run: Any) -> str:
        return f"{run.ended} of {run.tasks}"

    def make(self, request: HttpRequest, data: dict[str, Any]) -> Run:
        asked = {name: value for name, value in data.items() if name != "may_spend"}
        first, *others = starts.start_runs(actor=user_of(request), **asked)
        if others:
            more = counted(len(others), "more was made", "more were made")
            self.message_user(request, f"{more}: {', '.join(map(str, others))}.")
        if not first.device_class.hosts.filter(is_enabled=True, quarantined_at__isnull=True).exists():
            waits = f"No host of {first.device_class} takes work now: enable or register one, or it waits for good."
            self.message_user(request, waits, messages.WARNING)
        return first


class AttemptInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Attempt
    fk_name = "result"
    extra = 0
    can_delete = False
    fields = readonly_fields = ("number", "status", "reason", "message", "queued_at", "started_at", "ended_at")

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Result)
class ResultAdmin(Keeper, ReadOnly):
    list_display = ("id", "run", "task", "published_attempt", "audit")
    list_select_related = ("run", "task", "published_attempt")
    list_filter = ("run__state", "task__category")
    search_fields = ("task__path", "run__configuration__slug")
    inlines = (AttemptInline,)
    actions = RESULT_ACTS

    def view_on_site(self, result: Result) -> str:
        return reverse("leaderboard:result", args=[result.pk])


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    list_display = ("id", "result", "number", "status", "reason", "claimed_by", "queued_at", "ended_at")
    list_filter = ("status", "host")
