"""Admin pages of runs, results and attempts, with the actions of `runs.actions`."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from evaluator.wording import counted
from runs.actions import RESULT_ACTIONS, RUN_ACTIONS
from runs.admin.base import BaseAdmin, CreateOnlyAdmin, ReadOnlyAdmin, functions_of, user_of
from runs.admin.sessions import RunForm
from runs.models import Attempt, Result, Run
from runs.people.rights import may_audit, may_publish, may_run
from runs.services import starts
from runs.trust import trust_text


class RunActionsAdmin(BaseAdmin):
    """Permissions of the actions on runs and results."""

    def has_run_permission(self, request: HttpRequest) -> bool:
        return may_run(request.user)

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return may_publish(request.user)

    def has_audit_permission(self, request: HttpRequest) -> bool:
        return may_audit(request.user)


@admin.register(Run)
class RunAdmin(RunActionsAdmin, CreateOnlyAdmin):
    """Adding a run queues all tasks of a suite. Reference agents write candidates at once, others in sessions."""

    list_display = ("id", "configuration", "suite", "state_here", "progress", "device_class", "repeat", "trust_here")
    list_select_related = ("configuration", "suite", "device_class")
    list_filter = ("state", "trust", "device_class")
    actions = functions_of(*RUN_ACTIONS)

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
        if left_out := starts.tasks_left_out(first.configuration, first.suite):
            says = f"{first.configuration} takes {counted(left_out, 'task')} less than {first.suite} has"
            self.message_user(request, f"{says}: there it submits nothing, and that counts.", messages.WARNING)
        if not first.device_class.hosts.filter(is_enabled=True, quarantined_at__isnull=True).exists():
            waits = f"No host of {first.device_class} takes work now: the run waits until an operator enables one."
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
    actions = functions_of(*RESULT_ACTIONS)

    def view_on_site(self, result: Result) -> str:
        return reverse("leaderboard:result", args=[result.pk])


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ("id", "result", "number", "status", "reason", "claimed_by", "queued_at", "ended_at")
    list_filter = ("status", "host")
