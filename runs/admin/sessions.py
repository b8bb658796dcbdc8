"""Admin pages of agent sessions, and the form that starts runs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from runs.admin.base import ReadOnlyAdmin
from runs.errors import RunError
from runs.models import AgentSession, Iteration, Run
from runs.people.rights import may_see_unseen
from runs.services import starts


class RunForm(forms.ModelForm):  # type: ignore[type-arg]
    repeats = forms.IntegerField(
        min_value=1,
        max_value=20,
        initial=starts.REPEATS,
        label="Number of runs",
        help_text="Repeats, numbered from the one above. All are queued at once.",
    )
    may_spend = forms.BooleanField(
        required=False,
        label="Spend the estimated cost",
        help_text="For paid models. Leave it empty to see the estimate first.",
    )

    class Meta:
        model = Run
        fields = ("configuration", "suite", "device_class", "repeat", "round", "note")

    def clean(self) -> dict[str, Any]:
        """Show the estimate before a paid run starts."""
        data = super().clean() or {}
        configuration, suite, repeats = (data.get(name) for name in ("configuration", "suite", "repeats"))
        if configuration and suite and repeats and not data.get("may_spend"):
            try:
                estimate = starts.estimate_text(configuration=configuration, suite=suite, repeats=repeats)
            except RunError as error:
                raise ValidationError(str(error)) from error
            if estimate:
                raise ValidationError(f"{estimate} Tick “Spend the estimated cost” to start.")
        return data


class IterationInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Iteration
    extra = 0
    can_delete = False
    fields = readonly_fields = ("number", "status", "message", "speedup", "at_s", "seconds", "added", "removed")

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(AgentSession)
class AgentSessionAdmin(ReadOnlyAdmin):
    """Sessions in secret rounds are visible to admins only until the reveal, like unseen cases."""

    list_display = ("result", "agent", "model", "started_at", "ended", "checks", "output_tokens", "cost_usd")
    list_select_related = ("result",)
    list_filter = ("ended", "agent")
    inlines = (IterationInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[AgentSession]:
        rows = AgentSession.objects.all()
        return rows if may_see_unseen(request.user) else rows.visible()
