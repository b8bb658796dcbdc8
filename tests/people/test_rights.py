"""The table of rights, the groups made of it, its predicates and its page say the same."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.core.management import call_command
from django.test import Client

from runs.people import rights
from runs.people.rights import BY_NAME, RIGHTS, STAFF, Role
from runs.people.roles import make_groups, role_of, set_role

pytestmark = pytest.mark.django_db
PREDICATES = {
    "submit": rights.may_submit,
    "review": rights.may_review,
    "audit": rights.may_audit,
    "publish": rights.may_publish,
    "start": rights.may_start,
    "run": rights.may_run,
    "register": rights.may_register,
    "hosts": rights.may_manage_hosts,
    "view": rights.may_view_admin,
    "revoke": rights.may_revoke,
    "people": rights.may_manage_people,
    "unseen": rights.may_see_unseen,
}
WITHOUT_PREDICATE = {"read", "own"}  # everybody may read; `owns` needs an object


def fresh(user: User) -> User:
    """Permissions are kept on the object."""
    return User.objects.get(pk=user.pk)


@pytest.mark.parametrize("role", Role)
def test_each_predicate_answers_as_the_table_says(person: Any, role: Role) -> None:
    user = fresh(person("sam", role))
    answers = {name: may(user) for name, may in PREDICATES.items()}
    assert answers == {name: role in BY_NAME[name].roles for name in PREDICATES}


def test_there_is_a_predicate_for_each_right() -> None:
    assert set(PREDICATES) == set(BY_NAME) - WITHOUT_PREDICATE


@pytest.mark.parametrize("role", Role)
def test_who_is_nobody_or_closed_may_nothing(person: Any, role: Role) -> None:
    user = person("sam", role)
    user.is_active = False
    user.save()
    for one in (AnonymousUser(), fresh(user)):
        assert not any(may(one) for may in PREDICATES.values())


def test_every_permission_that_a_model_of_ours_names_is_in_the_table() -> None:
    """One that is in no right would be nobody's but an admin's, and no page would say so."""
    named = {
        f"runs.{codename}"
        for model in apps.get_app_config("runs").get_models()
        for codename, _ in model._meta.permissions
    }
    assert named <= {permission for right in RIGHTS for permission in right.permissions}


def test_every_permission_of_the_table_exists() -> None:
    there = {
        f"{one.content_type.app_label}.{one.codename}" for one in Permission.objects.select_related("content_type")
    }
    for right in RIGHTS:
        for permission in right.permissions:
            start = permission.removesuffix("*")
            assert any(one.startswith(start) if "*" in permission else one == permission for one in there), permission


def test_groups_follow_the_table_after_every_migration(person: Any) -> None:
    user = person("sam", Role.SUBMITTER)
    Group.objects.get(name="submitter").permissions.set(Permission.objects.filter(codename="publish_run"))
    assert rights.may_publish(fresh(user))
    call_command("migrate", verbosity=0)
    assert not rights.may_publish(fresh(user))
    assert rights.may_submit(fresh(user))


def test_groups_that_are_as_they_should_be_are_not_written(django_assert_num_queries: Any) -> None:
    make_groups()
    with django_assert_num_queries(9) as captured:
        make_groups()
    assert not any(query["sql"].startswith(("INSERT", "UPDATE", "DELETE")) for query in captured.captured_queries)


def test_a_role_takes_the_place_of_the_one_before(person: Any) -> None:
    user = person("sam", Role.ADMIN)
    user.user_permissions.add(Permission.objects.get(codename="audit_result"))
    set_role(user, Role.SUBMITTER)
    user = fresh(user)
    assert (role_of(user), user.is_staff, user.is_superuser, rights.may_audit(user)) == (
        *(Role.SUBMITTER, False),
        *(False, False),
    )


@pytest.mark.parametrize("role", Role)
def test_staff_and_nobody_else_needs_a_second_factor(person: Any, role: Role) -> None:
    assert rights.needs_second_factor(fresh(person("sam", role))) is (role in STAFF)


def test_nobody_owns_what_a_command_submitted(person: Any) -> None:
    class Thing:
        submitter_id = None

    assert not rights.owns(AnonymousUser(), Thing())
    assert not rights.owns(person("sam", Role.ADMIN), Thing())


def test_the_page_shows_the_table_to_everybody(client: Client) -> None:
    page = client.get("/roles/").content.decode()
    for right in RIGHTS:
        row = page[page.index(right.text.replace("'", "&#x27;")) :].partition("</tr>")[0]
        assert {role for role in Role if f'<td data-label="{role}">yes</td>' in row} == set(right.roles)


def test_the_shell_gives_a_role(person: Any) -> None:
    user = person("sam")
    call_command("give_role", "sam", "operator", reason="on duty", stdout=StringIO())
    assert role_of(fresh(user)) == Role.OPERATOR
