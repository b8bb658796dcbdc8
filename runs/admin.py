"""The maintainers' door: register who runs where, start runs, run again, publish, withdraw. Every write is a service's.

Rows that say what happened are read-only here, and nothing is deleted: a run is withdrawn, a host is disabled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from evaluator.errors import EvaluatorError
from runs import candidates, services
from runs.errors import RunError
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
    Run,
    Suite,
    Task,
)

REFUSED = (RunError, ValidationError, EvaluatorError)


class ReasonForm(ActionForm):
    """Beside the list of actions: why, for the trail. A withdrawal needs it."""

    reason = forms.CharField(required=False, max_length=300, label="Reason")


class Door(admin.ModelAdmin):  # type: ignore[type-arg]
    """What all of ours share: no deletion, and a refused request comes back as a sentence."""

    action_form = ReasonForm
    formfield_overrides = {models.URLField: {"assume_scheme": "https"}}

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except REFUSED as error:
            self.message_user(request, _sentence(error), messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())

    def try_each(self, request: HttpRequest, rows: QuerySet[Any], act: Callable[[Any], int], done: str) -> None:
        """Act on each row; one that is refused does not hold up the others."""
        count = 0
        for row in rows:
            try:
                count += act(row)
            except REFUSED as error:
                self.message_user(request, _sentence(error), messages.ERROR)
        self.message_user(request, f"{count} {done}", messages.SUCCESS if count else messages.WARNING)


class ReadOnly(Door):
    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class Registered(Door):
    """Rows that maintainers write."""

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        services.save_row(row=obj)


class OnceMade(Door):
    """Rows that are made here by a service and never edited."""

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return obj is None and super().has_change_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return super().has_view_permission(request) or super().has_change_permission(request)

    def save_model(self, request: HttpRequest, obj: models.Model, form: Any, change: bool) -> None:
        obj.__dict__.update(self.make(request, form.cleaned_data).__dict__)

    def make(self, request: HttpRequest, data: dict[str, Any]) -> models.Model:
        raise NotImplementedError


@admin.register(Agent)
class AgentAdmin(Registered):
    list_display = ("name", "slug", "kind", "url")


@admin.register(ModelVersion)
class ModelVersionAdmin(Registered):
    list_display = ("name", "slug", "identifier", "vendor")


@admin.register(Configuration)
class ConfigurationAdmin(Registered):
    list_display = ("slug", "agent", "model", "role")
    list_select_related = ("agent", "model")
    list_filter = ("role",)


@admin.register(DeviceClass)
class DeviceClassAdmin(Registered):
    list_display = ("slug", "title", "architecture", "partition_mode", "is_functional")


@admin.register(Host)
class HostAdmin(Registered):
    list_display = ("name", "device_class", "is_enabled", "is_accepted", "seen_at", "note")
    list_select_related = ("device_class",)
    readonly_fields = ("is_accepted", "facts", "started_at", "seen_at")


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
    """Adding a run lets a built-in agent write its candidates and queues them all."""

    list_display = ("id", "configuration", "suite", "device_class", "repeat", "state", "origin", "progress")
    list_select_related = ("configuration", "suite", "device_class")
    list_filter = ("state", "origin", "device_class")
    actions = ("rerun", "cancel", "publish", "withdraw")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        return Run.objects.with_progress()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        made = ("configuration", "suite", "device_class", "repeat", "note")
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
        written = candidates.written_by(data["configuration"], data["suite"], data["repeat"])
        return services.create_run(written=written, actor=_user(request), **data)

    def has_rerun_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("runs.rerun_run")

    def has_publish_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("runs.publish_run")

    @admin.action(description="Run every result again", permissions=["rerun"])
    def rerun(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        about = _about(request)
        self.try_each(
            request,
            runs,
            lambda run: len(services.rerun_results(results=run.results.all(), **about)),
            "attempts queued; nothing published changes until you publish",
        )

    @admin.action(description="Cancel open attempts", permissions=["rerun"])
    def cancel(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        about = _about(request)
        self.try_each(
            request,
            runs,
            lambda run: services.cancel_results(results=run.results.all(), **about),
            "attempts cancelled",
        )

    @admin.action(description="Publish, with the newest answer of every result", permissions=["publish"])
    def publish(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        about = _about(request)
        self.try_each(request, runs, lambda run: bool(services.publish_run(run=run, **about)), "runs published")

    @admin.action(description="Withdraw (give a reason)", permissions=["publish"])
    def withdraw(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        about = _about(request)
        self.try_each(request, runs, lambda run: bool(services.withdraw_run(run=run, **about)), "runs withdrawn")


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
        made = services.rerun_results(results=results, **_about(request))
        self.message_user(request, f"{len(made)} attempts queued; nothing published changes until you publish")

    @admin.action(description="Cancel open attempts", permissions=["rerun"])
    def cancel(self, request: HttpRequest, results: QuerySet[Result]) -> None:
        self.message_user(request, f"{services.cancel_results(results=results, **_about(request))} attempts cancelled")

    @admin.action(description="Publish the newest answer", permissions=["publish"])
    def publish(self, request: HttpRequest, results: QuerySet[Result]) -> None:
        about = _about(request)
        self.try_each(
            request,
            results,
            lambda result: services.publish_results(results=[result], **about),
            "results show a newer answer",
        )


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    list_display = ("id", "result", "number", "status", "reason", "claimed_by", "queued_at", "ended_at")
    list_filter = ("status", "host")


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    list_display = ("at", "actor_name", "action", "run", "result", "from_attempt", "to_attempt", "reason")
    list_select_related = ("run", "result", "from_attempt", "to_attempt")
    list_filter = ("action",)


@admin.register(PublishedTable)
class PublishedTableAdmin(ReadOnly):
    list_display = ("title", "citation")


def _about(request: HttpRequest) -> dict[str, Any]:
    return {"actor": _user(request), "reason": request.POST.get("reason", "")[:300]}


def _user(request: HttpRequest) -> Any:
    """The user behind Django's lazy wrapper."""
    return getattr(request.user, "_wrapped", request.user)


def _sentence(error: Exception) -> str:
    return " ".join(error.messages) if isinstance(error, ValidationError) else str(error)
