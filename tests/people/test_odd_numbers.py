"""Numbers that no row can have, and words in their place: nowhere an error of ours, in addresses as in forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client

from runs.models import Configuration, Host, Suite
from runs.people.rights import Role
from tests import factories
from tests.people.site_addresses import patterns

pytestmark = pytest.mark.django_db
TOO_LARGE = ("2147483648", "9223372036854775807", "9223372036854775808", "9" * 30, "9" * 5000)
JUNK = (*TOO_LARGE, "abc", "-1", "1.5", "1e5", "", "\0", "1\0", "²", "_00")
NUMBER = re.compile(r"<row:\w+>")
ROUTES = [route for route, _ in patterns()]
LISTS = list(admin.site._registry)


@pytest.fixture
def client(person: Callable[..., User]) -> Client:
    client = Client()
    client.force_login(person("root", Role.ADMIN))
    return client


def list_of(model: type[Model]) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def test_every_number_in_an_address_is_one_that_a_row_can_have() -> None:
    """<int:…> would ask the database for a longer one."""
    assert not [route for route in ROUTES if "<int:" in route]


@pytest.mark.parametrize("route", [route for route in ROUTES if NUMBER.search(route)])
def test_an_address_of_a_row_that_cannot_be_is_not_there(client: Client, route: str) -> None:
    """Or takes no such request at all, or none without a token."""
    for number in TOO_LARGE:
        address = "/" + re.sub(r"<[^>]*>", "x", NUMBER.sub(number, route))
        answers = {client.get(address).status_code, client.post(address).status_code}
        assert answers <= {401, 404, 405}, number[:40]
        assert answers != {405}


def test_a_row_has_one_address(client: Client) -> None:
    """Each other one would be another entry of the response cache."""
    run = factories.make_run()
    addresses = [f"/run/{'0' * zeros}{run.pk}/" for zeros in range(3)]
    assert [client.get(address).status_code for address in addresses] == [200, 404, 404]


@pytest.mark.parametrize("route", [route for route in ROUTES if "<path:object_id>" in route])
def test_the_admin_has_no_page_of_what_is_no_row(client: Client, route: str) -> None:
    for text in JUNK:
        assert client.get("/" + route.replace("<path:object_id>", quote(text, safe=""))).status_code < 500, text[:40]


@pytest.mark.parametrize("model", LISTS, ids=lambda model: model._meta.model_name)
def test_a_list_is_narrowed_by_junk_without_an_error(client: Client, model: type[Model]) -> None:
    for name in ("id__exact", "id__in", "pk__in", "id__gt", "p", "q", "o"):
        for text in ("9223372036854775808", "9" * 30, f"1,{'9' * 30}", "abc", "\0", "²"):
            assert client.get(list_of(model), {name: text}).status_code < 500, (name, text[:40])


@pytest.mark.parametrize("model", LISTS, ids=lambda model: model._meta.model_name)
def test_an_action_on_junk_is_an_action_on_nothing(client: Client, model: type[Model]) -> None:
    names = [one if isinstance(one, str) else one.__name__ for one in admin.site._registry[model].actions]
    for name in names or ["none"]:
        for text in JUNK:
            chosen = {"action": name, "_selected_action": [text], "confirmed": "yes", "reason": "because"}
            assert client.post(list_of(model), chosen | {"index": text}).status_code < 500, (name, text[:40])


def test_an_action_on_junk_and_a_row_is_one_on_the_row(client: Client) -> None:
    host = factories.make_host(quarantined_at=factories.NOON, quarantine_reason="A known kernel went wrong.")
    chosen = {"action": "lift_quarantine", "_selected_action": [*JUNK, host.pk], "reason": "A new card."}
    page = client.post(list_of(Host), chosen).content.decode()
    assert f'name="_selected_action" value="{host.pk}"' in page
    assert "9" * 20 not in page
    for newest in ("9" * 5000, "²"):
        client.post(list_of(Host), {**chosen, "confirmed": "yes", "newest": newest})
    assert Host.objects.get(pk=host.pk).quarantined_at is None


def test_a_suite_has_no_member_that_is_no_task(client: Client) -> None:
    filled: dict[str, Any] = {"name": "new", "title": "New"}
    for text in JUNK:
        answer = client.post("/admin/runs/suite/add/", {**filled, "members": [text]})
        assert answer.status_code == 200, text[:40]
        assert "errorlist" in answer.content.decode()
    assert not Suite.objects.exists()


@pytest.mark.parametrize(
    "text",
    [
        "9" * 5000,
        "[" * 100_000,
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a": "\\ud800"}',
        '{"a": "\\u0000"}',
        '{"\\u0000": 1}',
        "\0",
    ],
    ids=lambda text: text[:16],
)
def test_settings_are_json_that_a_database_holds(client: Client, text: str) -> None:
    filled = {"slug": "new", "agent": factories.make_agent().pk, "role": "entry", "settings": text}
    answer = client.post("/admin/runs/configuration/add/", filled)
    assert answer.status_code == 200
    assert "settings" in answer.context["adminform"].form.errors
    assert not Configuration.objects.exists()
