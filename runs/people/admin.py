"""Accounts, for admins: one role each, open or closed. What a role may do stands in `rights`: groups have no page."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest

from runs.people.rights import Role, may_manage_people
from runs.people.roles import give_role, role_of

for model in (User, Group, EmailAddress, EmailConfirmation, Authenticator):
    if admin.site.is_registered(model):
        admin.site.unregister(model)


class PersonForm(forms.ModelForm):  # type: ignore[type-arg]
    role = forms.ChoiceField(choices=[(role.value, role.value) for role in Role])

    class Meta:
        model = User
        fields = ("username", "email", "is_active")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["role"].initial = role_of(self.instance)


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]
    """No account is deleted: the trail names it. Nobody changes the own role, so that one admin always stays."""

    form = PersonForm
    fieldsets = ((None, {"fields": ("username", "email", "role", "is_active", "last_login", "date_joined")}),)
    readonly_fields = ("last_login", "date_joined")
    list_display = ("username", "email", "role", "has_second_factor", "is_active", "last_login")
    list_filter = ("is_active", "groups")
    filter_horizontal = ()
    actions = ("forget_second_factor",)

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_people_permission(self, request: HttpRequest) -> bool:
        return may_manage_people(request.user)

    has_view_permission = has_change_permission = lambda self, request, obj=None: may_manage_people(request.user)
    has_add_permission = has_module_permission = has_people_permission

    @admin.display(description="Role")
    def role(self, user: User) -> str:
        return role_of(user)

    @admin.display(description="Second factor", boolean=True)
    def has_second_factor(self, user: User) -> bool:
        return bool(Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists())

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        wanted = form.cleaned_data.get("role")
        if wanted is None or wanted == role_of(obj):
            return
        if obj.pk == request.user.pk:
            self.message_user(request, "Your own role stays: another admin may change it.", messages.ERROR)
            return
        give_role(obj, Role(wanted))

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Groups follow from the role."""

    @admin.action(description="Forget the second factor (lost device)", permissions=["people"])
    def forget_second_factor(self, request: HttpRequest, users: QuerySet[User]) -> None:
        Authenticator.objects.filter(user__in=users).delete()
        for user in users:
            self.log_change(request, user, "Second factor forgotten.")
        self.message_user(request, "Their sessions are asked for a new one before anything of staff opens.")
