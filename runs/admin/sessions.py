"""Admin pages of agent sessions, and the form that starts runs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import capfirst

from runs import agents
from runs.admin.base import ReadOnlyAdmin
from runs.errors import RunError
from runs.models import Agent, AgentSession, Configuration, DeviceClass, Iteration, Run, Suite
from runs.people.rights import may_see_unseen
from runs.services import starts

READY = ("configured", "no sessions")  # what `agents.state_of` says of those that can start


class RunForm(forms.ModelForm):  # type: ignore[type-arg]
    """Starts runs of what can run here: configurations that are ready, current suites, devices with a host."""

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

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        built_in = Configuration.objects.filter(agent__kind=Agent.Kind.BUILT_IN).select_related("agent", "model")
        states = {one: agents.state_of(one) for one in built_in}
        ready = [one.pk for one, state in states.items() if state in READY]
        lacking = [f"{one} ({state})" for one, state in states.items() if state not in READY]
        self._choose("configuration", Configuration.objects.filter(pk__in=ready))
        self._choose("suite", Suite.objects.filter(is_current=True))
        devices = self._choose("device_class", DeviceClass.objects.filter(hosts__is_enabled=True).distinct())
        if lacking:
            self.fields["configuration"].help_text = f"Not listed, as they could not start: {', '.join(lacking)}."
        if len(devices) == 1:
            self.initial.setdefault("device_class", devices[0].pk)

    def clean(self) -> dict[str, Any]:
        """Refuse runs that exist, with a link to one. Show the estimate before a paid run starts."""
        data = super().clean() or {}
        wanted: dict[str, Any] = {name: data.get(name) for name in ("configuration", "suite", "device_class")}
        repeat, repeats = data.get("repeat"), data.get("repeats")
        if not all(wanted.values()) or repeat is None or not repeats:
            return data
        if known := starts.same_runs(**wanted, numbers=range(repeat, repeat + repeats)).first():
            there = reverse("leaderboard:run", args=[known.pk])
            text = format_html('{}: <a href="{}">{}</a>.', capfirst(starts.same_text(known)), there, known)
            raise ValidationError(text)
        if data.get("may_spend"):
            return data
        try:
            estimate = starts.estimate_text(
                configuration=wanted["configuration"], suite=wanted["suite"], repeats=repeats
            )
        except RunError as error:
            raise ValidationError(str(error)) from error
        if estimate:
            raise ValidationError(f"{estimate} Tick “Spend the estimated cost” to start.")
        return data

    def _choose(self, name: str, rows: QuerySet[Any]) -> QuerySet[Any]:
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = rows
        return rows


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
