"""Admin page of accounts, for admins. Rights follow from the role (`runs.people.rights`), so groups have no page.

Django's own page of users is not used, because it would change accounts without a reason in the audit log.
"""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters

from runs.actions import RowAction
from runs.admin.base import BaseAdmin, functions_of, user_of
from runs.models.audit_log import REASON_CHARACTERS
from runs.people.rights import Role, may_manage_people
from runs.people.roles import role_of
from runs.services import accounts

for model in (User, Group, EmailAddress, EmailConfirmation, Authenticator):
    if admin.site.is_registered(model):
        admin.site.unregister(model)
PERSON_ACTIONS = functions_of(
    RowAction(
        "reset_second_factor",
        "Reset the second factor (lost device)",
        "people",
        "They set up a new one at the next login; until then they cannot use staff pages. Failed attempts are cleared.",
        ("second factor reset", "second factors reset"),
        lambda user, asked: int(accounts.reset_second_factor(user=user, **asked)),
    ),
)


class AccountForm(forms.ModelForm):  # type: ignore[type-arg]
    role = forms.ChoiceField(choices=[(role.value, role.value) for role in Role])
    new_password = forms.CharField(
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="Empty: unchanged; a new account then has no password. Setting one ends all sessions of the account.",
    )
    reason = forms.CharField(
        max_length=REASON_CHARACTERS,
        label="Reason",
        widget=forms.TextInput(attrs={"size": 80}),
        help_text="Recorded in the audit log, with your name.",
    )

    class Meta:
        model = User
        fields = ("username", "email", "is_active")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["role"].initial = role_of(self.instance) if self.instance.pk else Role.VISITOR

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if password := data.get("new_password"):
            try:
                validate_password(password, self.instance)
            except ValidationError as error:
                self.add_error("new_password", error)
        return data


@admin.register(User)
class AccountAdmin(BaseAdmin):
    """The page of accounts. None can be deleted, because the audit log refers to it; admins cannot change their own."""

    form = AccountForm
    fields = ("username", "email", "role", "is_active", "new_password", "reason", "last_login", "date_joined")
    readonly_fields = ("last_login", "date_joined")
    list_display = ("username", "email", "role", "has_second_factor", "is_active", "last_login")
    list_filter = ("is_active", "groups")
    search_fields = ("username", "email")
    actions = PERSON_ACTIONS

    def has_people_permission(self, request: HttpRequest) -> bool:
        return may_manage_people(request.user)

    has_view_permission = has_change_permission = lambda self, request, obj=None: may_manage_people(request.user)
    has_add_permission = has_module_permission = has_people_permission

    @method_decorator(sensitive_post_parameters("new_password"))
    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().changeform_view(request, *args, **kwargs)

    @admin.display(description="Role")
    def role(self, user: User) -> str:
        return role_of(user)

    @admin.display(description="Second factor", boolean=True)
    def has_second_factor(self, user: User) -> bool:
        return bool(Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists())

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save through services: each change gets its own audit entry, all in one transaction."""
        data = form.cleaned_data
        asked = {"actor": user_of(request), "reason": data["reason"]}
        named = {"username": data["username"], "email": data["email"]}
        user = User.objects.get(pk=obj.pk) if change else accounts.make_account(**named, **asked)
        accounts.rename_account(user=user, **named, **asked)
        accounts.give_role(user=user, role=Role(data["role"]), **asked)
        (accounts.open_account if data["is_active"] else accounts.close_account)(user=user, **asked)
        if data["new_password"]:
            accounts.set_password(user=user, password=data["new_password"], **asked)
        obj.__dict__.update(user.__dict__)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Do nothing: groups follow from the role."""
