"""Admin pages of runs, results and attempts, with actions: run again, pause, cancel, publish, withdraw, take back."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from evaluator.wording import counted
from runs.admin.base import AdminAction, BaseAdmin, CreateOnlyAdmin, ReadOnlyAdmin, actions, user_of
from runs.admin.sessions import RunForm
from runs.models import Agent, Attempt, Configuration, Result, Run, Suite
from runs.people.rights import may_publish, may_run
from runs.services import publishing, run_actions, starts
from runs.trust import trust_text

UNCHANGED = "queued; what is public changes only when you publish"
QUEUED = (f"attempt {UNCHANGED}", f"attempts {UNCHANGED}")
RERUNNING = (
    "A new attempt is queued for each result. What is public changes only when you publish the new attempt. An agent"
    " whose session ended without a candidate works again, which may cost money; if the run was public, it does not:"
    " start a run with another repeat instead."
)
CANCELLING = "Queued attempts end at once, running ones at the worker's next heartbeat. Their verdicts are not stored."
RUN_ACTIONS = actions(
    AdminAction(
        "pause",
        "Pause",
        "rerun",
        "Queued attempts keep their place, but no worker takes them until you resume. Running ones continue.",
        ("run paused", "runs paused"),
        lambda run, asked: bool(run_actions.pause_run(run=run, **asked)),
    ),
    AdminAction(
        "resume",
        "Resume",
        "rerun",
        "Workers take queued attempts again, in their old place in the queue.",
        ("run resumed", "runs resumed"),
        lambda run, asked: bool(run_actions.resume_run(run=run, **asked)),
    ),
    AdminAction(
        "cancel",
        "Cancel open attempts",
        "rerun",
        CANCELLING,
        ("attempt cancelled", "attempts cancelled"),
        lambda run, asked: run_actions.cancel_results(results=run.results.all(), **asked),
    ),
    AdminAction(
        "rerun",
        "Run all results again",
        "rerun",
        RERUNNING,
        QUEUED,
        lambda run, asked: len(run_actions.rerun_results(results=run.results.all(), **asked)),
    ),
    AdminAction(
        "rerun_failed",
        "Run again results that did not pass",
        "rerun",
        RERUNNING,
        QUEUED,
        lambda run, asked: len(run_actions.rerun_failed(run=run, **asked)),
    ),
    AdminAction(
        "publish",
        "Publish with the newest attempt of each result",
        "publish",
        "The runs become public on the leaderboards, with the newest finished attempt of each result.",
        ("run published", "runs published"),
        lambda run, asked: bool(publishing.publish_run(run=run, **asked)),
    ),
    AdminAction(
        "withdraw",
        "Withdraw",
        "publish",
        "The runs leave the leaderboards. Their pages and history stay public, with your reason.",
        ("run withdrawn", "runs withdrawn"),
        lambda run, asked: bool(publishing.withdraw_run(run=run, **asked)),
        needs_reason=True,
    ),
    AdminAction(
        "undo",
        "Take back the last publication or withdrawal",
        "publish",
        "A withdrawn run is published again, with the same attempts; a published one is withdrawn.",
        ("publication or withdrawal taken back", "publications or withdrawals taken back"),
        lambda run, asked: bool(publishing.undo_run(run=run, **asked)),
        needs_reason=True,
    ),
)
RESULT_ACTIONS = actions(
    AdminAction(
        "rerun",
        "Run again",
        "rerun",
        RERUNNING,
        QUEUED,
        lambda result, asked: len(run_actions.rerun_results(results=[result], **asked)),
    ),
    AdminAction(
        "cancel",
        "Cancel open attempts",
        "rerun",
        CANCELLING,
        ("attempt cancelled", "attempts cancelled"),
        lambda result, asked: run_actions.cancel_results(results=[result], **asked),
    ),
    AdminAction(
        "publish",
        "Publish the newest attempt",
        "publish",
        "Each result shows its newest finished attempt. The attempt before stays in its history.",
        ("newer attempt published", "newer attempts published"),
        lambda result, asked: publishing.publish_results(results=[result], **asked),
    ),
    AdminAction(
        "undo",
        "Take back the last publication",
        "publish",
        "Each result shows the attempt again that its newest publication replaced.",
        ("publication taken back", "publications taken back"),
        lambda result, asked: publishing.undo_results(results=[result], **asked),
        needs_reason=True,
    ),
)


class RunActionsAdmin(BaseAdmin):
    """Permissions of the actions on runs and results."""

    def has_rerun_permission(self, request: HttpRequest) -> bool:
        return may_run(request.user)

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return may_publish(request.user)


@admin.register(Run)
class RunAdmin(RunActionsAdmin, CreateOnlyAdmin):
    """Adding a run queues all tasks of a suite. Reference agents write candidates at once, others in sessions."""

    list_display = ("id", "configuration", "suite", "state_here", "progress", "device_class", "repeat", "trust_here")
    list_select_related = ("configuration", "suite", "device_class")
    list_filter = ("state", "trust", "device_class")
    actions = RUN_ACTIONS

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        return Run.objects.with_progress()

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **kwargs, **({"form": RunForm} if obj is None else {}))

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        made: tuple[str, ...] = ("configuration", "suite", "device_class", "repeat", "round", "note")
        made = (*made, "repeats", "may_spend") if obj is None else made
        later = ("state", "paused_at", "trust", "protocol", "created_at", "created_by", "published_at")
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

    @admin.display(description="Trust", ordering="trust")
    def trust_here(self, run: Run) -> str:
        return trust_text(run.trust, run.reproduced_tasks, run.verified_tasks)

    @admin.display(description="Finished")
    def progress(self, run: Any) -> str:
        return f"{run.ended} of {run.tasks}"

    def make(self, request: HttpRequest, data: dict[str, Any]) -> Run:
        asked = {name: value for name, value in data.items() if name != "may_spend"}
        first, *others = starts.start_runs(actor=user_of(request), **asked)
        if others:
            more = counted(len(others), "more run was created", "more runs were created")
            self.message_user(request, f"{more}: {', '.join(map(str, others))}.")
        if not first.device_class.hosts.filter(is_enabled=True, quarantined_at__isnull=True).exists():
            waits = f"No host of {first.device_class} takes work now: the run waits until you enable or register one."
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
class ResultAdmin(RunActionsAdmin, ReadOnlyAdmin):
    list_display = ("id", "run", "task", "published_attempt", "audit")
    list_select_related = ("run", "task", "published_attempt")
    list_filter = ("run__state", "task__category")
    search_fields = ("task__path", "run__configuration__slug")
    inlines = (AttemptInline,)
    actions = RESULT_ACTIONS

    def view_on_site(self, result: Result) -> str:
        return reverse("leaderboard:result", args=[result.pk])


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ("id", "result", "number", "status", "reason", "claimed_by", "queued_at", "ended_at")
    list_filter = ("status", "host")
