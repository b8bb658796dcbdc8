"""The maintainers' door: register who runs where, start runs, run again, publish, withdraw. Every write is a service's.

Rows that say what happened are read-only here, and nothing is deleted: a run is withdrawn, a host is disabled.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from runs import admin_desk, admin_sessions, agents, services
from runs.admin_sessions import RunForm
from runs.doors import OnceMade, ReadOnly, Registered, about, user_of
from runs.models import (
    Agent,
    Attempt,
    AuditEntry,
    Configuration,
    DeviceClass,
    Host,
    ModelVersion,
    PublishedTable,
    Result,
    Round,
    Run,
    Suite,
    Task,
    UnseenEvaluation,
    UnseenMeasurement,
)

__all__ = ["admin_desk", "admin_sessions"]  # register their own rows


@admin.register(Agent)
class AgentAdmin(Registered):
    list_display = ("name", "slug", "kind", "url")


@admin.register(ModelVersion)
class ModelVersionAdmin(Registered):
    list_display = ("name", "slug", "identifier", "vendor")


@admin.register(Configuration)
class ConfigurationAdmin(Registered):
    list_display = ("slug", "agent", "model", "role", "state", "run_cap_usd", "day_cap_usd")
    list_select_related = ("agent", "model")
    list_filter = ("role",)

    @admin.display(description="Sessions")
    def state(self, configuration: Configuration) -> str:
        """Whether a run of it could be started here."""
        return agents.state_of(configuration)


@admin.register(DeviceClass)
class DeviceClassAdmin(Registered):
    list_display = ("slug", "title", "architecture", "partition_mode", "is_functional")


@admin.register(Host)
class HostAdmin(Registered):
    list_display = ("name", "device_class", "is_enabled", "is_accepted", "quarantined_at", "seen_at", "note")
    list_select_related = ("device_class",)
    readonly_fields = (
        *("is_accepted", "calibration", "quarantined_at", "quarantine_reason"),
        *("facts", "agents", "started_at", "seen_at"),
    )
    actions = ("lift_quarantine",)

    @admin.action(description="Lift the quarantine (give a reason)", permissions=["change"])
    def lift_quarantine(self, request: HttpRequest, hosts: QuerySet[Host]) -> None:
        asked = about(request)
        self.try_each(
            request,
            hosts,
            lambda host: bool(services.lift_quarantine(host=host, **asked)),
            "quarantines lifted; each worker tries known kernels before it takes work",
        )


class SuiteForm(forms.ModelForm):  # type: ignore[type-arg]
    members = forms.ModelMultipleChoiceField(Task.objects.filter(is_current=True), label="Tasks")

    class Meta:
        model = Suite
        fields = ("name", "title")

    def validate_constraints(self) -> None:
        """The service gives a known name its next version."""


@admin.register(Suite)
class SuiteAdmin(OnceMade):
    list_display = ("label", "title", "is_current", "added_at")
    list_filter = ("is_current",)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return SuiteForm if obj is None else super().get_form(request, obj, change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("name", "title", "members") if obj is None else ("name", "version", "digest", "title", "paths")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else ("paths",)

    @admin.display(description="Tasks")
    def paths(self, suite: Suite) -> str:
        return ", ".join(suite.tasks.values_list("path", flat=True))

    def make(self, request: HttpRequest, data: dict[str, Any]) -> Suite:
        return services.register_suite(name=data["name"], title=data["title"], tasks=list(data["members"]))


@admin.register(Task)
class TaskAdmin(ReadOnly):
    list_display = ("path", "category", "is_current", "digest")
    list_filter = ("category", "is_current")
    search_fields = ("path",)


@admin.register(Run)
class RunAdmin(OnceMade):
    """Adding runs queues all tasks of a suite: a reference agent writes its candidates at once, others in sessions."""

    list_display = ("id", "configuration", "suite", "device_class", "repeat", "state", "origin", "progress")
    list_select_related = ("configuration", "suite", "device_class")
    list_filter = ("state", "origin", "device_class")
    actions = ("rerun", "cancel", "publish", "withdraw")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        return Run.objects.with_progress()

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **kwargs, **({"form": RunForm} if obj is None else {}))

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        made: tuple[str, ...] = ("configuration", "suite", "device_class", "repeat", "round", "note")
        made = (*made, "repeats", "may_spend") if obj is None else made
        later = ("state", "origin", "verification", "protocol", "created_at", "created_by", "published_at")
        return made if obj is None else made + later

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else ("created_at",)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "configuration":
            kwargs["queryset"] = Configuration.objects.filter(agent__kind=Agent.Kind.BUILT_IN)
        if db_field.name == "suite":
            kwargs["queryset"] = Suite.objects.filter(is_current=True)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    @admin.display(description="Ended")
    def progress(self, run: Any) -> str:
        return f"{run.ended} of {run.tasks}"

    def make(self, request: HttpRequest, data: dict[str, Any]) -> Run:
        asked = {name: value for name, value in data.items() if name != "may_spend"}
        first, *others = services.start_runs(actor=user_of(request), **asked)
        if others:
            self.message_user(request, f"{len(others)} more were made: {', '.join(map(str, others))}.")
        return first

    def has_rerun_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("runs.rerun_run")

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("runs.publish_run")

    @admin.action(description="Run every result again", permissions=["rerun"])
    def rerun(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        asked = about(request)
        self.try_each(
            request,
            runs,
            lambda run: len(services.rerun_results(results=run.results.all(), **asked)),
            "attempts queued; nothing published changes until you publish",
        )

    @admin.action(description="Cancel open attempts", permissions=["rerun"])
    def cancel(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        asked = about(request)
        self.try_each(
            request,
            runs,
            lambda run: services.cancel_results(results=run.results.all(), **asked),
            "attempts cancelled",
        )

    @admin.action(description="Publish, with the newest answer of every result", permissions=["publish"])
    def publish(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        asked = about(request)
        self.try_each(request, runs, lambda run: bool(services.publish_run(run=run, **asked)), "runs published")

    @admin.action(description="Withdraw (give a reason)", permissions=["publish"])
    def withdraw(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        asked = about(request)
        self.try_each(request, runs, lambda run: bool(services.withdraw_run(run=run, **asked)), "runs withdrawn")


class AttemptInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Attempt
    fk_name = "result"
    extra = 0
    can_delete = False
    fields = readonly_fields = ("number", "status", "reason", "message", "queued_at", "started_at", "ended_at")

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Result)
class ResultAdmin(ReadOnly):
    list_display = ("id", "run", "task", "published_attempt", "audit")
    list_select_related = ("run", "task", "published_attempt")
    list_filter = ("run__state", "task__category")
    search_fields = ("task__path", "run__configuration__slug")
    inlines = (AttemptInline,)
    actions = ("rerun", "cancel", "publish")

    def has_rerun_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("runs.rerun_run")

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("runs.publish_run")

    @admin.action(description="Run again", permissions=["rerun"])
    def rerun(self, request: HttpRequest, results: QuerySet[Result]) -> None:
        asked = about(request)
        self.try_each(
            request,
            results,
            lambda result: len(services.rerun_results(results=[result], **asked)),
            "attempts queued; nothing published changes until you publish",
        )

    @admin.action(description="Cancel open attempts", permissions=["rerun"])
    def cancel(self, request: HttpRequest, results: QuerySet[Result]) -> None:
        self.message_user(request, f"{services.cancel_results(results=results, **about(request))} attempts cancelled")

    @admin.action(description="Publish the newest answer", permissions=["publish"])
    def publish(self, request: HttpRequest, results: QuerySet[Result]) -> None:
        asked = about(request)
        self.try_each(
            request,
            results,
            lambda result: services.publish_results(results=[result], **asked),
            "results show a newer answer",
        )


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    list_display = ("id", "result", "number", "status", "reason", "claimed_by", "queued_at", "ended_at")
    list_filter = ("status", "host")


@admin.register(Round)
class RoundAdmin(ReadOnly):
    """Opened and revealed by commands. The secret of a round that is not revealed stands on no page at all."""

    list_display = ("slug", "suite", "opened_at", "revealed_at")
    list_select_related = ("suite",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        told = ("slug", "suite", "secret_hash", "generator_version", "tasks_digest", "opened_at", "revealed_at")
        return (*told, "secret") if obj is not None and obj.is_revealed else told


class UnseenMeasurementInline(admin.TabularInline):  # type: ignore[type-arg]
    model = UnseenMeasurement
    extra = 0
    can_delete = False
    fields = readonly_fields = ("case", "category", "baseline_correct", "correct", "reason", "message", "log_ratio")

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(UnseenEvaluation)
class UnseenEvaluationAdmin(ReadOnly):
    """Before the reveal for superusers only: they could read the secret anyway."""

    list_display = ("attempt", "round", "state", "is_complete", "answered_by")
    list_select_related = ("attempt", "round", "answered_by")
    list_filter = ("state", "round")
    inlines = (UnseenMeasurementInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[UnseenEvaluation]:
        rows = UnseenEvaluation.objects.all()
        return rows if request.user.is_superuser else rows.visible()


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    list_display = ("at", "actor_name", "action", "run", "host", "round", "result", "to_attempt", "reason")
    list_select_related = ("run", "host", "round", "result", "to_attempt")
    list_filter = ("action",)


@admin.register(PublishedTable)
class PublishedTableAdmin(ReadOnly):
    list_display = ("title", "citation")
