"""What the pages of the admin share: no deletion, services that write, actions that ask before they act, and refusals
that come back as a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Max, QuerySet
from django.forms.fields import InvalidJSONInput
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.text import capfirst

from evaluator.codec import is_storable
from evaluator.errors import EvaluatorError
from evaluator.wording import counted
from runs.errors import RunError
from runs.models.audit_log import REASON_CHARACTERS
from runs.numbers import is_row
from runs.services import registry

REFUSED = (RunError, ValidationError, EvaluatorError)
MOST_NAMED = 100  # rows that a confirmation names; the rest it counts


@dataclass(frozen=True, slots=True)
class AdminAction:
    """What can be done to chosen rows. `do` acts on one, for `actor` and `reason`, and says how many it changed."""

    name: str
    title: str
    permission: str  # of has_<permission>_permission
    means: str  # before it is confirmed
    done: tuple[str, str]  # after 1, and after any other number
    do: Callable[[Any, dict[str, Any]], int]
    needs_reason: bool = False


def actions(*acts: AdminAction) -> tuple[Callable[..., Any], ...]:
    """What Django's admin offers for them."""
    return tuple(_action(act) for act in acts)


def _action(act: AdminAction) -> Callable[..., Any]:
    def ask_and_act(door: Door, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
        return door.confirmed(request, rows, act)

    ask_and_act.__name__ = act.name
    return admin.action(description=act.title, permissions=[act.permission])(ask_and_act)


class PlainJson(forms.JSONField):
    """JSON that both databases hold: Python reads more, and a figure or a depth without end is no error of ours."""

    def to_python(self, value: Any) -> Any:
        try:
            read = super().to_python(value)
            text = json.dumps(read, allow_nan=False, ensure_ascii=False)
        except (ValueError, RecursionError) as error:
            raise self._invalid(value) from error
        if not is_storable(text) or "\\u0000" in text:
            raise self._invalid(value)
        return read

    def bound_data(self, data: Any, initial: Any) -> Any:
        """What was refused comes back as it was typed."""
        try:
            self.to_python(data)
        except ValidationError:
            return InvalidJSONInput(data)
        return super().bound_data(data, initial)

    def _invalid(self, value: Any) -> ValidationError:
        return ValidationError(self.error_messages["invalid"], code="invalid", params={"value": value})


class Door(admin.ModelAdmin):  # type: ignore[type-arg]
    """What all of ours share: no deletion, and a refused form comes back as it was filled in, with a sentence."""

    formfield_overrides = {
        models.URLField: {"assume_scheme": "https"},
        models.JSONField: {"form_class": PlainJson},
    }

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except REFUSED as error:  # nothing was written: the same form once more, as it was filled in
            request.refusal = _sentence(error)  # type: ignore[attr-defined]
            return super().changeform_view(request, object_id, form_url, extra_context)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """No number in an address that no row can have: SQLite takes none of more than 64 bits."""
        numbers = [one for one in value.split(",") if one.isdigit()]
        return all(map(is_row, numbers)) and super().lookup_allowed(lookup, value, request)

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:  # type: ignore[override]
        """On rows that there can be; whatever else a form brings is none of them."""
        sent = request.POST.copy()
        sent.setlist(ACTION_CHECKBOX_NAME, [one for one in sent.getlist(ACTION_CHECKBOX_NAME) if is_row(one)])
        request.POST = sent  # type: ignore[assignment]
        return super().response_action(request, queryset)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        refusal = getattr(request, "refusal", "")
        return _refused(form, refusal) if refusal else form

    def confirmed(self, request: HttpRequest, rows: QuerySet[Any], act: AdminAction) -> HttpResponse | None:
        """First a page that says what it means and asks why; then act on each row.

        One that is refused does not hold up the others, and one to which something happened since it was asked about is
        refused: a form that is sent twice would take back what it just did.
        """
        if "confirmed" not in request.POST:
            return self._confirmation(request, rows, act)
        asked = {"actor": user_of(request), "reason": request.POST.get("reason", "")[:REASON_CHARACTERS]}
        count, refused = 0, False
        for row in rows:
            try:
                with transaction.atomic():
                    _refuse_what_moved(row, request.POST.get("newest", ""))
                    count += act.do(row, asked)
            except REFUSED as error:
                refused = True
                self.message_user(request, _sentence(error), messages.ERROR)
        told = counted(count, *act.done)
        if not count:
            told = f"{told.partition(';')[0]}{'' if refused else ': there was nothing to do'}"
        self.message_user(request, told, messages.SUCCESS if count else messages.WARNING)
        return None

    def _confirmation(self, request: HttpRequest, rows: QuerySet[Any], act: AdminAction) -> TemplateResponse:
        total = rows.count()
        context = self.admin_site.each_context(request) | {
            "title": act.title,
            "act": act,
            "opts": self.opts,
            "rows": list(rows[:MOST_NAMED]),
            "total": total,
            "unnamed": max(total - MOST_NAMED, 0),
            "chosen": request.POST.getlist(ACTION_CHECKBOX_NAME),
            "newest": rows.aggregate(newest=Max("trail"))["newest"] or 0 if hasattr(self.model, "trail") else "",
            "select_across": request.POST.get("select_across", "0"),
            "reason_characters": REASON_CHARACTERS,
        }
        return TemplateResponse(request, "admin/confirm_action.html", context)


class ReadOnly(Door):
    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class RegisteredForm(forms.ModelForm):  # type: ignore[type-arg]
    reason = forms.CharField(
        required=False,
        max_length=REASON_CHARACTERS,
        label="Why",
        widget=forms.TextInput(attrs={"size": 80}),
        help_text="Kept in the trail, with your name and what you change.",
    )


class Registered(Door):
    """Rows that maintainers write."""

    form = RegisteredForm

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        may_write = obj is None or self.has_change_permission(request, obj)
        return [name for name in super().get_fields(request, obj) if may_write or name != "reason"]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        registry.change_row(row=obj, actor=user_of(request), reason=form.cleaned_data["reason"].strip())


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


def _refused(form: Any, refusal: str) -> Any:
    """The form with what a service said of it."""

    class Refused(form):  # type: ignore[misc]
        def clean(self) -> None:
            super().clean()
            raise ValidationError(refusal)

    return Refused


def _refuse_what_moved(row: Any, newest: str) -> None:
    """`newest`: the last entry of the trail about any of the rows when they were shown. Locks the row.

    Raises:
        RunError: there is a newer one about this row.
    """
    if not is_row(newest):
        return
    locked = type(row)._base_manager.select_for_update().get(pk=row.pk)
    if locked.trail.filter(pk__gt=int(newest)).exists():
        raise RunError(f"something was done to {row} since you were asked: look at it again")


def user_of(request: HttpRequest) -> Any:
    """The user behind Django's lazy wrapper."""
    return getattr(request.user, "_wrapped", request.user)


def _sentence(error: Exception) -> str:
    return capfirst(" ".join(error.messages) if isinstance(error, ValidationError) else str(error))
