"""Admin pages of agents, models, configurations, hosts, suites and rounds, and of the audit log."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from runs import agents
from runs.actions import RowAction
from runs.admin.base import CreateOnlyAdmin, ReadOnlyAdmin, RegistryAdmin, functions_of
from runs.models import (
    Agent,
    AuditEntry,
    Configuration,
    DeviceClass,
    Host,
    ModelVersion,
    PublishedTable,
    Round,
    Suite,
    Task,
    UnseenEvaluation,
    UnseenMeasurement,
)
from runs.numbers import is_row
from runs.people.rights import may_manage_hosts, may_see_unseen
from runs.services import hosts, registry

HOST_ACTIONS = functions_of(
    RowAction(
        "lift_quarantine",
        "Lift the quarantine",
        "hosts",
        "The hosts take work again once known kernels pass on them. Say what you found and did.",
        (
            "quarantine lifted; the worker tries known kernels before it takes work",
            "quarantines lifted; the workers try known kernels before they take work",
        ),
        lambda host, asked: bool(hosts.lift_quarantine(host=host, **asked)),
    ),
)


@admin.register(Agent)
class AgentAdmin(RegistryAdmin):
    list_display = ("name", "slug", "kind", "url", "is_public")


@admin.register(ModelVersion)
class ModelVersionAdmin(RegistryAdmin):
    list_display = ("name", "slug", "identifier", "vendor", "is_public")


@admin.register(Configuration)
class ConfigurationAdmin(RegistryAdmin):
    list_display = ("slug", "agent", "model", "role", "state", "run_cap_usd", "day_cap_usd", "is_public")
    list_select_related = ("agent", "model")
    list_filter = ("role",)

    @admin.display(description="Sessions")
    def state(self, configuration: Configuration) -> str:
        """Say whether a run of it could be started here."""
        return agents.state_of(configuration)


@admin.register(DeviceClass)
class DeviceClassAdmin(RegistryAdmin):
    list_display = ("slug", "title", "architecture", "partition_mode", "is_functional", "is_public")


@admin.register(Host)
class HostAdmin(RegistryAdmin):
    list_display = (
        *("name", "device_class", "is_enabled", "is_accepted", "quarantined_at", "seen_at", "note"),
        "is_public",
    )
    list_select_related = ("device_class",)
    readonly_fields = (
        *("evaluator", "is_accepted", "calibration", "quarantined_at", "quarantine_reason"),
        *("facts", "agents", "started_at", "seen_at"),
    )
    actions = HOST_ACTIONS

    def has_hosts_permission(self, request: HttpRequest) -> bool:
        return may_manage_hosts(request.user)


class TaskChoiceField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    def clean(self, value: Any) -> Any:
        """Refuse values that cannot be row ids, which the database would fail on."""
        if odd := [one for one in value or () if not is_row(str(one))]:
            raise ValidationError(self.error_messages["invalid_choice"], params={"value": odd[0]})
        return super().clean(value)


class SuiteForm(forms.ModelForm):  # type: ignore[type-arg]
    members = TaskChoiceField(Task.objects.filter(is_current=True), label="Tasks")

    class Meta:
        model = Suite
        fields = ("name", "title")

    def validate_constraints(self) -> None:
        """Check nothing: the service gives a known name its next version."""


@admin.register(Suite)
class SuiteAdmin(CreateOnlyAdmin):
    list_display = ("label", "title", "is_current", "added_at")
    list_filter = ("is_current",)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **kwargs, **({"form": SuiteForm} if obj is None else {}))

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("name", "title", "members") if obj is None else ("name", "version", "digest", "title", "paths")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else ("paths",)

    @admin.display(description="Tasks")
    def paths(self, suite: Suite) -> str:
        return ", ".join(suite.tasks.values_list("path", flat=True))

    def make(self, request: HttpRequest, data: dict[str, Any]) -> Suite:
        return registry.register_suite(name=data["name"], title=data["title"], tasks=list(data["members"]))


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    list_display = ("path", "category", "is_current", "digest")
    list_filter = ("category", "is_current")
    search_fields = ("path",)


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    """Rounds are opened and revealed by commands. The secret of an unrevealed round is shown on no page."""

    list_display = ("slug", "suite", "opened_at", "revealed_at")
    list_select_related = ("suite",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = ("slug", "suite", "secret_hash", "generator_version", "tasks_digest", "opened_at", "revealed_at")
        return (*fields, "secret") if obj is not None and obj.is_revealed else fields


class UnseenMeasurementInline(admin.TabularInline):  # type: ignore[type-arg]
    model = UnseenMeasurement
    extra = 0
    can_delete = False
    fields = readonly_fields = ("case", "category", "baseline_correct", "correct", "reason", "message", "log_ratio")

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(UnseenEvaluation)
class UnseenEvaluationAdmin(ReadOnlyAdmin):
    """Outcomes on unseen cases. Before the reveal only admins see them, who could read the secret anyway."""

    list_display = ("attempt", "round", "state", "is_complete", "reused_from")
    list_select_related = ("attempt", "round", "reused_from")
    list_filter = ("state", "round")
    inlines = (UnseenMeasurementInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[UnseenEvaluation]:
        rows = UnseenEvaluation.objects.all()
        return rows if may_see_unseen(request.user) else rows.visible()


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor_name", "action", "about", "reason", "detail", "to_attempt")
    list_select_related = ("run", "host", "round", "result", "to_attempt", "submission", "account")
    list_filter = ("action",)
    search_fields = ("actor_name", "account__username", "reason")


@admin.register(PublishedTable)
class PublishedTableAdmin(ReadOnlyAdmin):
    list_display = ("title", "citation")
