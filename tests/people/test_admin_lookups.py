"""Lists of the admin answer only what their own filters ask: a filter on a hidden column would tell it bit by bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.admin import ModelAdmin, site
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.auth.models import User
from django.core.exceptions import FieldDoesNotExist
from django.db.models import ForeignKey, Model
from django.test import Client, RequestFactory

from runs.admin.base import BaseAdmin
from runs.models import AgentSession, ApiToken, Iteration, Round, UnseenEvaluation, UnseenMeasurement
from runs.people.rights import Role
from tests import factories
from tests.accounts import show_second_factor

PAGES = tuple(site._registry.values())
HIDDEN_COLUMNS = {(Round, "secret"), (User, "password"), (User, "email"), (ApiToken, "digest")}
# Of these models every column, seen from another page: their own pages leave out the rows of secret rounds.
HIDDEN_MODELS = {AgentSession, Iteration, UnseenEvaluation, UnseenMeasurement, Authenticator, EmailAddress}
ENDS = ("", "__startswith", "__regex", "__gt", "__in", "__isnull", "__exact")


def name_of(page: ModelAdmin[Any]) -> str:
    return str(page.opts.model_name)


@pytest.fixture
def maintainer(person: Callable[..., User], client: Client) -> Client:
    user = person("mia", Role.MAINTAINER)
    client.force_login(user)
    show_second_factor(client, user)
    return client


def columns(model: type[Model], depth: int = 2) -> Iterator[str]:
    """Every column that a lookup from this model reaches over at most `depth` relations, in either direction."""
    for field in model._meta.get_fields():
        yield field.name
        if depth and field.related_model not in (None, model):
            yield from (f"{field.name}__{rest}" for rest in columns(field.related_model, depth - 1))  # type: ignore[arg-type]


def asked(page: ModelAdmin[Any]) -> set[str]:
    """Every column that the page's filters, search, order and hierarchy of dates ask about."""
    names = (*page.list_filter, *page.search_fields, *page.list_display, *(page.ordering or ()), page.date_hierarchy)
    return {str(name).lstrip("-^=@") for name in names if name}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_page_has_the_allow_list(page: ModelAdmin[Any]) -> None:
    """A new page derives from BaseAdmin and names its filters, or has none."""
    assert isinstance(page, BaseAdmin)
    assert type(page).lookup_allowed is BaseAdmin.lookup_allowed
    assert all(isinstance(name, str) for name in page.list_filter)
    assert page.date_hierarchy is None, "its lookups are on no list"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_lookup_but_those_of_the_filters_is_allowed(page: ModelAdmin[Any], rf: RequestFactory) -> None:
    filters, request = set(page.list_filter), rf.get("/")
    allowed = {
        name + end for name in columns(page.model) for end in ENDS if page.lookup_allowed(name + end, "1", request)
    }
    assert {one.removesuffix("__exact").removesuffix("__isnull").removesuffix("__id") for one in allowed} <= filters
    assert page.lookup_allowed(f"{page.opts.pk.name}__in", "1", request) is False


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_filter_search_or_order_is_over_a_hidden_column(page: ModelAdmin[Any]) -> None:
    hidden = HIDDEN_COLUMNS - ({(User, "email")} if page.model is User else set())  # a page for admins alone
    for path in asked(page):
        order = getattr(getattr(page, path, None), "admin_order_field", path)
        try:
            fields = get_fields_from_path(page.model, order)
        except FieldDoesNotExist:
            assert (order, "__" in path) == (path, False), "an order by a column that this test does not see"
            continue
        assert not {(field.model, field.name) for field in fields} & hidden, path
        assert not {field.model for field in fields[1:]} & HIDDEN_MODELS, path


@pytest.mark.parametrize(
    ("model", "lookup"),
    [
        ("round", "secret__startswith"),
        ("round", "secret__gte"),
        ("run", "round__secret__startswith"),
        ("suite", "rounds__secret__startswith"),
        ("auditentry", "round__secret__startswith"),
        ("submission", "submitter__password__startswith"),
        ("submission", "submitter__email__startswith"),
        ("auditentry", "actor__password__regex"),
        ("run", "created_by__password__regex"),
        ("apitoken", "digest__startswith"),
        ("apitoken", "user__authenticator__data__contains"),
        ("attempt", "unseen__is_complete"),
        ("attempt", "unseen__cases__correct"),
        ("result", "session__tail__contains"),
        ("task", "results__attempts__unseen__state"),
    ],
)
def test_a_maintainer_learns_no_hidden_value_by_filtering(maintainer: Client, model: str, lookup: str) -> None:
    factories.make_run()
    for value in ("a", "z", "1"):
        assert maintainer.get(f"/admin/runs/{model}/", {lookup: value}).status_code == 400


def test_no_row_is_found_by_a_hidden_value(maintainer: Client) -> None:
    round = factories.make_round(revealed_at=None)
    for address in ("/admin/runs/round/", f"/admin/runs/round/{round.secret}/change/"):
        assert maintainer.get(address, {"_to_field": "secret"}).status_code == 400


def test_filters_of_every_kind_still_narrow_a_list(maintainer: Client) -> None:
    first, second = factories.make_run().results.all()[:2]
    host = factories.make_host()
    attempt = factories.make_attempt(result=first, status="passed", host=host)
    factories.make_attempt(result=second, status="queued")
    for query in ({"host__id__exact": host.pk}, {"host__isnull": "False"}, {"status__exact": "passed"}):
        page = maintainer.get("/admin/runs/attempt/", query)
        assert (page.status_code, list(page.context["cl"].queryset)) == (200, [attempt])
    for model, query in (
        ("result", {"run__state__exact": "draft"}),
        ("submission", {"format": "native"}),
        ("task", {"is_current__exact": "1", "_facets": "True"}),
    ):
        assert maintainer.get(f"/admin/runs/{model}/", query).status_code == 200


def test_completion_finds_no_account_and_nothing_of_a_secret_round(maintainer: Client) -> None:
    for page in PAGES:
        for field in page.opts.get_fields():
            if isinstance(field, ForeignKey) and field.related_model in (User, *HIDDEN_MODELS, Round):
                asks = {"app_label": page.opts.app_label, "model_name": page.opts.model_name, "field_name": field.name}
                assert maintainer.get("/admin/autocomplete/", {**asks, "term": ""}).status_code in (403, 404), asks
