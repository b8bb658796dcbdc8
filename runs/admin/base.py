"""Base classes of admin pages: no deletion, actions with a confirmation page, and refusals shown as messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Max, QuerySet
from django.forms.fields import InvalidJSONInput
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.text import capfirst

from evaluator.codec import is_storable
from evaluator.errors import EvaluatorError
from evaluator.wording import counted
from runs.actions import RowAction, carry_out
from runs.errors import RunError
from runs.models.audit_log import REASON_CHARACTERS
from runs.numbers import is_row
from runs.services import registry

REFUSED = (RunError, ValidationError, EvaluatorError)
FILTER_ENDS = ("", "__exact", "__isnull", "__id__exact")  # of the lookups that Django's filters send
MOST_NAMED = 100  # rows that a confirmation page lists; it counts the rest


def functions_of(*actions: RowAction) -> tuple[Callable[..., Any], ...]:
    """Return the actions as functions for `ModelAdmin.actions`. A page has a `has_…_permission` for each right."""
    return tuple(_function_of(action) for action in actions)


def _function_of(action: RowAction) -> Callable[..., Any]:
    def confirm_and_act(page: BaseAdmin, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
        return page.confirm_and_act(request, rows, action)

    confirm_and_act.__name__ = action.name
    return admin.action(description=action.title, permissions=[action.right])(confirm_and_act)


class PlainJson(forms.JSONField):
    """JSON that both databases can store. Python also parses NaN, NUL and any depth, which would be a server error."""

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
        """Show refused input again as it was typed."""
        try:
            self.to_python(data)
        except ValidationError:
            return InvalidJSONInput(data)
        return super().bound_data(data, initial)

    def _invalid(self, value: Any) -> ValidationError:
        return ValidationError(self.error_messages["invalid"], code="invalid", params={"value": value})


class BaseAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Base of all admin pages: nothing can be deleted, and a refused form is shown again with the error."""

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
        except REFUSED as error:  # nothing was written: show the form again, as it was filled in
            request.refusal = sentence_of(error)  # type: ignore[attr-defined]
            return super().changeform_view(request, object_id, form_url, extra_context)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow only what the page's own filters send, and of numbers only those that can be row ids.

        Django allows any lookup on a column of the model or of a related one, shown or not: ?secret__startswith=a asks
        for a secret letter by letter. SQLite fails on numbers of more than 64 bits.
        """
        sent = {f"{name}{end}" for name in self.get_list_filter(request) for end in FILTER_ENDS}
        return lookup in sent and all(map(is_row, filter(str.isdigit, value.split(","))))

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:  # type: ignore[override]
        """Ignore selected values that cannot be row ids."""
        sent = request.POST.copy()
        sent.setlist(ACTION_CHECKBOX_NAME, [one for one in sent.getlist(ACTION_CHECKBOX_NAME) if is_row(one)])
        request.POST = sent  # type: ignore[assignment]
        return super().response_action(request, queryset)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        refusal = getattr(request, "refusal", "")
        return _refused(form, refusal) if refusal else form

    def confirm_and_act(self, request: HttpRequest, rows: QuerySet[Any], action: RowAction) -> HttpResponse | None:
        """Show a confirmation page first; once confirmed, act on each row.

        A refused row does not stop the others. A row with newer audit entries than the confirmation page knew is
        refused: a form sent twice would otherwise take back what it has just done.
        """
        if "confirmed" not in request.POST:
            return self._confirmation(request, rows, action)
        asked = {"actor": user_of(request), "reason": request.POST.get("reason", "")[:REASON_CHARACTERS]}
        count, refused = 0, False
        for row in rows:
            try:
                changes = carry_out(row, action, asked, request.POST.get("newest", ""))
                if changes:
                    self.acted(request, row, action)
                count += changes
            except REFUSED as error:
                refused = True
                self.message_user(request, sentence_of(error), messages.ERROR)
        text = counted(count, *action.done)
        if not count:
            text = f"{text.partition(';')[0]}{'' if refused else ': there was nothing to do'}"
        self.message_user(request, text, messages.SUCCESS if count else messages.WARNING)
        return None

    def acted(self, request: HttpRequest, row: Any, action: RowAction) -> None:
        """Tell the person what only this row's page can tell, after an action that changed it."""

    def _confirmation(self, request: HttpRequest, rows: QuerySet[Any], action: RowAction) -> TemplateResponse:
        total = rows.count()
        newest: int | str = ""
        if hasattr(self.model, "audit_entries"):
            newest = rows.aggregate(newest=Max("audit_entries"))["newest"] or 0
        context = self.admin_site.each_context(request) | {
            "title": action.title,
            "action": action,
            "opts": self.opts,
            "rows": list(rows[:MOST_NAMED]),
            "total": total,
            "unnamed": max(total - MOST_NAMED, 0),
            "chosen": request.POST.getlist(ACTION_CHECKBOX_NAME),
            "newest": newest,
            "select_across": request.POST.get("select_across", "0"),
            "reason_characters": REASON_CHARACTERS,
        }
        return TemplateResponse(request, "admin/confirm_action.html", context)


class ReadOnlyAdmin(BaseAdmin):
    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class RegistryForm(forms.ModelForm):  # type: ignore[type-arg]
    reason = forms.CharField(
        required=False,
        max_length=REASON_CHARACTERS,
        label="Reason",
        widget=forms.TextInput(attrs={"size": 80}),
        help_text="Recorded in the audit log, with your name and what you change.",
    )


class RegistryAdmin(BaseAdmin):
    """Rows of the registry, which staff add and change."""

    form = RegistryForm

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        may_write = obj is None or self.has_change_permission(request, obj)
        return [name for name in super().get_fields(request, obj) if may_write or name != "reason"]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        registry.change_row(row=obj, actor=user_of(request), reason=form.cleaned_data["reason"].strip())


class CreateOnlyAdmin(BaseAdmin):
    """Rows that are created here, through a service, and never edited."""

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return obj is None and super().has_change_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return super().has_view_permission(request) or super().has_change_permission(request)

    def save_model(self, request: HttpRequest, obj: models.Model, form: Any, change: bool) -> None:
        obj.__dict__.update(self.make(request, form.cleaned_data).__dict__)

    def make(self, request: HttpRequest, data: dict[str, Any]) -> models.Model:
        raise NotImplementedError


def _refused(form: Any, refusal: str) -> Any:
    """Return the form class with a service's refusal as its error."""

    class Refused(form):  # type: ignore[misc]
        def clean(self) -> None:
            super().clean()
            raise ValidationError(refusal)

    return Refused


def user_of(request: HttpRequest) -> Any:
    """Return the user behind Django's lazy wrapper."""
    return getattr(request.user, "_wrapped", request.user)


def sentence_of(error: Exception) -> str:
    return capfirst(" ".join(error.messages) if isinstance(error, ValidationError) else str(error))
