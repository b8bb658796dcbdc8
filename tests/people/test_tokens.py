"""API tokens: stored as a hash, with a scope and a last day, shown with their last use, and revoked."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from runs.errors import RunError
from runs.models import ApiToken
from runs.people.rights import Role
from runs.people.roles import set_role
from runs.services import tokens
from runs.services.tokens import MOST_TOKENS
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def sam(person: Any) -> User:
    return person("sam", Role.SUBMITTER)


def asking(text: str) -> Client:
    return Client(headers={"authorization": f"Bearer {text}"})


def test_only_its_hash_is_stored(sam: User) -> None:
    row, text = tokens.make_token(user=sam, name="ci")
    assert text not in str(ApiToken.objects.filter(pk=row.pk).values().get())
    assert len(text) > 40


def test_a_token_with_the_scope_read_reads_the_status_and_submits_nothing(sam: User) -> None:
    submission = factories.make_submission(submitter=sam)
    _, text = tokens.make_token(user=sam, name="watch", scope=ApiToken.Scope.READ)
    assert asking(text).get(f"/api/v1/submissions/{submission.pk}/").status_code == 200
    refused = asking(text).post("/api/v1/submissions/")
    assert refused.status_code == 403
    assert "a token with the scope read; expected the scope submit" in refused.json()["detail"]


@pytest.mark.parametrize("change", ["revoked", "expired", "closed", "role"])
def test_it_ends_when_revoked_at_its_day_with_its_account_and_with_the_role(sam: User, change: str) -> None:
    row, text = tokens.make_token(user=sam, name="ci")
    assert asking(text).post("/api/v1/submissions/").status_code == 400
    if change == "revoked":
        tokens.revoke_token(token=row, actor=sam)
    if change == "expired":
        long_ago = timezone.now() - timedelta(days=2)
        ApiToken.objects.update(created_at=long_ago, expires_at=long_ago + timedelta(days=1))
    if change == "closed":
        User.objects.update(is_active=False)
    if change == "role":
        set_role(sam, Role.VISITOR)
    assert asking(text).post("/api/v1/submissions/").status_code == (403 if change == "role" else 401)


def test_its_last_use_is_shown_to_its_owner_alone(sam: User, person: Any) -> None:
    _, text = tokens.make_token(user=sam, name="the nightly job")
    mine, others = Client(), Client()
    mine.force_login(sam)
    others.force_login(person("tom", Role.SUBMITTER))
    assert b"never" in mine.get("/submit/tokens/").content
    asking(text).get("/api/v1/submissions/1/")
    page = mine.get("/submit/tokens/").content
    assert b"never" not in page
    assert f"{ApiToken.objects.get().used_at:%-d %b %Y}".encode() in page
    assert b"the nightly job" not in others.get("/submit/tokens/").content


def test_nobody_has_more_than_some(sam: User) -> None:
    for number in range(MOST_TOKENS):
        row, _ = tokens.make_token(user=sam, name=str(number))
    with pytest.raises(RunError, match="revoke one first"):
        tokens.make_token(user=sam, name="one more")
    client = Client()
    client.force_login(sam)
    asked = {"name": "one more", "days": "1", "scope": "read"}
    assert b"revoke one first" in client.post("/submit/tokens/", asked).content
    tokens.revoke_token(token=row, actor=sam)
    assert b"shown only once" in client.post("/submit/tokens/", asked).content


def test_the_shell_creates_one_with_the_scope_read(sam: User) -> None:
    call_command("make_token", "sam", scope="read", stdout=StringIO())
    assert ApiToken.objects.get().scope == "read"
