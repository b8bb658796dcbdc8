"""What the pages of the admin share: no deletion, services that write, and refusals that come back as a sentence."""

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
from runs import services
from runs.errors import RunError

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


def about(request: HttpRequest) -> dict[str, Any]:
    return {"actor": user_of(request), "reason": request.POST.get("reason", "")[:300]}


def user_of(request: HttpRequest) -> Any:
    """The user behind Django's lazy wrapper."""
    return getattr(request.user, "_wrapped", request.user)


def _sentence(error: Exception) -> str:
    return " ".join(error.messages) if isinstance(error, ValidationError) else str(error)
