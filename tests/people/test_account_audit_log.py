"""Changes to other people's accounts always reach the audit log, with who, what, why and when."""

from __future__ import annotations

import ast
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.test import Client

from runs.errors import RunError
from runs.models import ApiToken, AuditEntry
from runs.people.rights import Role
from runs.people.roles import role_of
from runs.services import accounts, tokens
from tests.accounts import make_second_factor
from tests.people.conftest import PASSWORD, log_in

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[2]
WHY = {"actor": "test", "reason": "because"}
NEW_PASSWORD = "another long secret"


@pytest.fixture
def ada(client: Client, person: Any) -> User:
    """An admin, logged in."""
    user: User = person("ada", Role.ADMIN)
    client.force_login(user)
    return user


def fresh(user: User) -> User:
    return User.objects.get(pk=user.pk)


def entries_about(user: User) -> list[tuple[str, str, str, str]]:
    rows = AuditEntry.objects.filter(account=user).order_by("id")
    return list(rows.values_list("actor_name", "action", "detail", "reason"))


def values(user: User, **changes: str) -> dict[str, str]:
    """The form's values for an unchanged account, with a reason."""
    shown = {"username": user.username, "email": user.email, "is_active": "on", "role": str(role_of(user))}
    asked = {"new_password": "", "reason": "because"}
    return {name: value for name, value in (shown | asked | changes).items() if value}


def test_each_change_by_an_admin_says_who_what_and_why(client: Client, ada: User, person: Any) -> None:
    sam = person("sam", Role.SUBMITTER, email="sam@example.org")
    page = f"/admin/auth/user/{sam.pk}/change/"
    asked = values(sam, role="operator", email="new@example.org", new_password=NEW_PASSWORD, reason="on duty")
    assert client.post(page, asked).status_code == 302
    assert client.post(page, values(fresh(sam), is_active="", reason="left")).status_code == 302
    assert client.post(page, values(fresh(sam), reason="came back")).status_code == 302
    assert entries_about(sam) == [
        ("ada", "change_account", "address of sam", "on duty"),
        ("ada", "give_role", "submitter → operator", "on duty"),
        ("ada", "set_password", "", "on duty"),
        ("ada", "close_account", "", "left"),
        ("ada", "open_account", "", "came back"),
    ]
    sam = fresh(sam)
    assert (sam.is_staff, sam.is_superuser, sam.groups.get().name) == (True, False, "operator")
    assert (sam.email, sam.is_active, sam.check_password(NEW_PASSWORD)) == ("new@example.org", True, True)


def test_without_a_reason_nothing_changes(client: Client, ada: User, person: Any) -> None:
    sam = person("sam", Role.SUBMITTER)
    for reason in ("", "   "):
        refused = client.post(f"/admin/auth/user/{sam.pk}/change/", values(sam, role="admin", reason=reason))
        assert b"This field is required" in refused.content
    for action in (accounts.open_account, accounts.close_account, accounts.reset_second_factor):
        make_second_factor(sam)
        User.objects.filter(pk=sam.pk).update(is_active=action is accounts.close_account)
        with pytest.raises(RunError, match="give a reason"):
            action(user=fresh(sam), actor="test", reason=" ")
    assert (role_of(fresh(sam)), entries_about(sam)) == (Role.SUBMITTER, [])


def test_what_did_not_change_leaves_no_entry(client: Client, ada: User, person: Any) -> None:
    sam = person("sam", Role.SUBMITTER)
    assert client.post(f"/admin/auth/user/{sam.pk}/change/", values(sam)).status_code == 302
    assert entries_about(sam) == []


def test_an_account_created_by_an_admin_has_entries_from_its_start(client: Client, ada: User) -> None:
    asked = {"username": "eve", "role": "maintainer", "is_active": "on", "new_password": NEW_PASSWORD, "reason": "new"}
    planted = {"is_superuser": "on", "is_staff": "on", "groups": "1", "user_permissions": "1", "password": "x"}
    assert client.post("/admin/auth/user/add/", asked | planted).status_code == 302
    eve = User.objects.get(username="eve")
    assert (role_of(eve), eve.is_superuser, eve.user_permissions.count()) == (Role.MAINTAINER, False, 0)
    assert eve.check_password(NEW_PASSWORD)
    assert [entry[1] for entry in entries_about(eve)] == ["make_account", "give_role", "set_password"]


def test_fields_that_the_form_does_not_show_change_nothing(client: Client, ada: User, person: Any) -> None:
    sam = person("sam", Role.SUBMITTER)
    before = User.objects.filter(pk=sam.pk).values().get()
    planted = {"is_superuser": "on", "is_staff": "on", "groups": str(Group.objects.get(name="operator").pk)}
    planted |= {"user_permissions": str(Permission.objects.get(codename="publish_run").pk), "password": "x"}
    client.post(f"/admin/auth/user/{sam.pk}/change/", values(sam) | planted)
    assert User.objects.filter(pk=sam.pk).values().get() == before
    assert (role_of(fresh(sam)), sam.user_permissions.count()) == (Role.SUBMITTER, 0)


@pytest.mark.parametrize(
    "address",
    [
        *("auth/group/", "auth/group/add/", "auth/permission/", "auth/user/{}/password/", "mfa/authenticator/"),
        *("account/emailaddress/", "sites/site/", "sessions/session/"),
    ],
)
def test_no_other_admin_page_changes_accounts(client: Client, ada: User, person: Any, address: str) -> None:
    answer = client.get(f"/admin/{address}".format(person("sam").pk), follow=True)
    assert answer.status_code == 404 or answer.redirect_chain[-1][0] == "/admin/"


def test_a_weak_password_is_refused(client: Client, ada: User, person: Any) -> None:
    sam = person("sam")
    assert b"too short" in client.post(f"/admin/auth/user/{sam.pk}/change/", values(sam, new_password="x1")).content
    assert fresh(sam).check_password(PASSWORD)


def test_nobody_changes_their_own_account_in_the_admin(client: Client, ada: User) -> None:
    for changes in ({"role": "visitor"}, {"is_active": ""}, {"new_password": NEW_PASSWORD}, {"email": "x@example.org"}):
        before = User.objects.filter(pk=ada.pk).values("email", "is_active", "is_superuser", "password").get()
        refused = client.post(f"/admin/auth/user/{ada.pk}/change/", values(ada, **changes), follow=True)
        assert b"You cannot change your own account here" in refused.content
        assert User.objects.filter(pk=ada.pk).values(*before).get() == before


def test_one_admin_is_always_left(person: Any) -> None:
    ada, eve = person("ada", Role.ADMIN), person("eve", Role.ADMIN)
    accounts.give_role(user=eve, role=Role.VISITOR, **WHY)
    for action in (accounts.close_account, lambda **asked: accounts.give_role(role=Role.VISITOR, **asked)):
        with pytest.raises(RunError, match="ada is the only admin"):
            action(user=ada, **WHY)
    assert fresh(ada).is_superuser
    assert fresh(ada).is_active


def test_a_second_factor_is_reset_after_a_reason(client: Client, ada: User, person: Any) -> None:
    sam = person("sam", Role.OPERATOR)
    make_second_factor(sam)
    chosen = {"action": "reset_second_factor", "_selected_action": [sam.pk]}
    assert b"They set up a new one at the next login" in client.post("/admin/auth/user/", chosen).content
    client.post("/admin/auth/user/", chosen | {"confirmed": "yes", "reason": ""})
    assert Authenticator.objects.filter(user=sam).exists()
    client.post("/admin/auth/user/", chosen | {"confirmed": "yes", "reason": "lost it"})
    assert not Authenticator.objects.filter(user=sam).exists()
    assert entries_about(sam) == [("ada", "reset_factor", "", "lost it")]


def test_tokens_are_in_the_audit_log_and_those_of_others_need_a_reason(client: Client, ada: User, person: Any) -> None:
    sam = person("sam", Role.SUBMITTER)
    row, text = tokens.make_token(user=sam, name="ci")
    other, _ = tokens.make_token(user=sam, name="night", actor=ada, reason="asked for by phone")
    with pytest.raises(RunError, match="give a reason"):
        tokens.make_token(user=sam, name="x", actor=ada)
    chosen = {"action": "revoke", "_selected_action": [row.pk], "confirmed": "yes"}
    client.post("/admin/runs/apitoken/", chosen | {"reason": ""})
    assert ApiToken.objects.get(pk=row.pk).revoked_at is None
    client.post("/admin/runs/apitoken/", chosen | {"reason": "it leaked"})
    assert tokens.revoke_token(token=other, actor=sam) == 1
    assert tokens.revoke_token(token=other, actor=sam) == 0
    assert entries_about(sam) == [
        ("sam", "make_token", f"token {row.pk}, “ci”, submit", "own token"),
        ("ada", "make_token", f"token {other.pk}, “night”, submit", "asked for by phone"),
        ("ada", "revoke_token", f"token {row.pk}, “ci”, submit", "it leaked"),
        ("sam", "revoke_token", f"token {other.pk}, “night”, submit", "own token"),
    ]
    assert text not in str(AuditEntry.objects.values())


def test_whoever_confirms_an_address_becomes_a_submitter_and_who_has_a_role_keeps_it(person: Any) -> None:
    for name, role in (("new", Role.VISITOR), ("eve", Role.MAINTAINER)):
        address = EmailAddress.objects.create(user=person(name, role), email=f"{name}@example.org")
        email_confirmed.send(sender=EmailAddress, request=None, email_address=address)
    new = User.objects.get(username="new")
    assert (role_of(new), entries_about(new)[0][1:]) == (
        *(Role.SUBMITTER,),
        ("give_role", "visitor → submitter", "confirmed an address"),
    )
    assert entries_about(User.objects.get(username="eve")) == []


def test_commands_leave_a_reason_too(person: Any) -> None:
    sam = person("sam")
    call_command("make_admin", stdout=StringIO())
    call_command("make_admin", "--reset", stdout=StringIO())
    call_command("give_role", "sam", "operator", reason="on duty", stdout=StringIO())
    make_second_factor(sam)
    call_command("second_factor", reset="sam", stdout=StringIO())
    call_command("make_token", "sam", stdout=StringIO())
    assert [entry[1:] for entry in entries_about(User.objects.get(username="admin"))] == [
        ("make_account", "", "from the shell"),
        ("give_role", "visitor → admin", "from the shell"),
        ("set_password", "", "from the shell"),
    ]
    assert [entry[0] for entry in entries_about(sam)] == ["give_role", "second_factor", "make_token"]


def test_an_entry_of_an_account_is_never_changed_and_always_says_why(person: Any) -> None:
    sam = person("sam")
    accounts.give_role(user=sam, role=Role.SUBMITTER, **WHY)
    for write in (
        lambda: AuditEntry.objects.filter(account=sam).update(reason="other"),
        lambda: AuditEntry.objects.filter(account=sam).delete(),
        lambda: AuditEntry.objects.create(action="give_role", actor_name="x", account=sam),
        lambda: AuditEntry.objects.create(action="give_role", actor_name="x", reason="about nobody"),
        lambda: AuditEntry.objects.create(action="publish", actor_name="x", reason="of no run", account=sam),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            write()
    assert len(entries_about(sam)) == 1


def test_a_role_that_is_taken_away_ends_what_its_session_may(person: Any, client: Client) -> None:
    sam = person("sam", Role.MAINTAINER)
    client.force_login(sam)
    assert client.get("/review/").status_code == 200
    accounts.give_role(user=sam, role=Role.SUBMITTER, **WHY)
    assert client.get("/review/").status_code == 403
    assert client.get("/admin/runs/run/").status_code == 302
    accounts.close_account(user=fresh(sam), **WHY)
    assert client.get("/account/").status_code == 302
    again = Client()
    log_in(again, "sam")
    assert "_auth_user_id" not in again.session


WRITERS = {"runs/services/accounts.py", "runs/people/roles.py"}
CALLS = {"set_role", "set_password", "set_unusable_password", "create_user", "create_superuser"}
FLAGS = {"is_staff", "is_superuser", "is_active"}
GROUP_FIELDS = {"groups", "user_permissions", "permissions"}
SOURCES = [
    path
    for folder in ("runs", "leaderboard", "arena_site", "scripts")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "migrations" not in path.relative_to(ROOT).parts and path.relative_to(ROOT).as_posix() not in WRITERS
]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_else_writes_roles_flags_or_passwords(path: Path) -> None:
    if path.name == "queue_simulation.py":
        pytest.skip("it uses a database of its own")
    found = [ast.unparse(node) for node in ast.walk(ast.parse(path.read_text())) if changes_an_account(node)]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        *("user.is_staff = True", "User.objects.filter(pk=1).update(is_superuser=True)", "user.set_password(text)"),
        *("user.groups.add(group)", "group.permissions.set(chosen)", "User.objects.create_superuser('x')"),
        *("set_role(user, role)", "self.user.is_active, other = False, 1", "User(is_staff=True)"),
    ],
)
def test_the_check_for_other_writers_finds_each_way(line: str) -> None:
    assert any(changes_an_account(node) for node in ast.walk(ast.parse(line)))


def changes_an_account(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return node.attr in FLAGS
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if isinstance(owner, ast.Name) and owner.id == "accounts":
        return False
    of_groups = isinstance(owner, ast.Attribute) and owner.attr in GROUP_FIELDS
    writes = called in {"User", "update", "create", "get_or_create", "update_or_create"}
    flags = writes and FLAGS & {keyword.arg for keyword in node.keywords}
    return called in CALLS or bool(flags) or (of_groups and called in {"add", "set", "remove", "clear"})


def test_a_reason_from_a_shell_that_is_too_long_for_its_column_is_cut(person: Any) -> None:
    """PostgreSQL refuses a longer one; forms take no more."""
    sam = person("sam", Role.SUBMITTER)
    call_command("give_role", "sam", Role.MAINTAINER, "--reason", "because " * 100, stdout=StringIO())
    [*_, (_, _, _, reason)] = entries_about(sam)
    assert reason == ("because " * 100)[:300]
