"""Every address of the site × every role × own and others' things: the answer is the one of tests/people/matrix.py.

A walker of each role, one without a role, and staff without a second factor. Each request is taken back.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.db import transaction
from django.test import Client, RequestFactory, override_settings
from django.urls import resolve

from leaderboard.pages.route import Route
from leaderboard.routes import ROUTES
from runs.models import Review, Run
from runs.people.rights import BY_NAME, STAFF, Role
from tests.people.matrix import (
    ACTIONS,
    ADMIN,
    BUTTONS,
    BY_TOKEN,
    FILES,
    FOR_MACHINES,
    FORMS,
    MODELS,
    PEOPLE,
    PUBLIC,
    SUBMISSIONS,
    Rule,
    expected_of,
)
from tests.people.site_addresses import patterns, public_addresses
from tests.people.world import WALKERS, World, make_world, role_of_walker

pytestmark = [pytest.mark.slow, pytest.mark.django_db]  # one site for all: two seconds, and two thousand pages
PAGE_OF_ADMIN = re.compile(r"admin:(?:runs|auth)_([a-z]+)_(changelist|add|history|delete|change|password_change)")
ONE_LOGIN = {"ACCOUNT_REAUTHENTICATION_TIMEOUT": 86_400}  # seconds: all walkers log in when the first test begins
REDIRECT_OF_ADMIN = re.compile(r"admin/\w+/(\w+)/<path:object_id>/")


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: Any) -> Iterator[World]:
    _seen.clear(), _some.cache_clear()  # of a world before, if the tests of this file do not come in one go
    folder = tmp_path_factory.mktemp("matrix")
    with (
        django_db_blocker.unblock(),
        override_settings(ARCHIVE_FOLDER=folder / "archive", DUMP_FOLDER=_dump(folder), **ONE_LOGIN),
        transaction.atomic(),
    ):
        made = make_world()
        made.public = public_addresses(
            made.site
        )  # by contexts of templates, which nobody keeps from here on: that took half of the time
        patch = pytest.MonkeyPatch()
        patch.setattr("django.test.client.store_rendered_templates", lambda *_, **__: None)
        logging.disable(logging.INFO)
        yield made
        logging.disable(logging.NOTSET)
        patch.undo()
        transaction.set_rollback(True)


@pytest.fixture(scope="module", autouse=True)
def pages_are_built_once() -> Iterator[None]:
    """A page is built of its query and its address alone, so all walkers can be shown the same one."""
    patch, make = pytest.MonkeyPatch(), Route.make
    built: dict[tuple[str, str, str], Any] = {}

    def made(route: Route, query: Any, parts: Any) -> Any:
        key = (route.name, str(query), str(sorted(parts.items())))
        return built[key] if key in built else built.setdefault(key, make(route, query, parts))

    patch.setattr(Route, "make", made)
    yield
    patch.undo()


def test_every_address_has_its_line() -> None:
    """A new one is given its line in tests/people/matrix.py; one that is gone loses it."""
    forms = {f"{page}_{form}" for page in PUBLIC for form in FORMS}
    public = PUBLIC | FILES | forms
    unknown = [route for route, name in patterns() if not _has_a_line(route, name, public)]
    assert unknown == []
    there = {name for _, name in patterns()} | {route for route, _ in patterns()}
    named = {f"leaderboard:{page}" for page in PUBLIC} | {*PEOPLE, *SUBMISSIONS, *ADMIN, *BY_TOKEN}
    assert sorted(named - there) == []
    assert {route.name for route in ROUTES} == PUBLIC


def test_every_model_and_action_of_the_admin_has_its_line() -> None:
    registered = {model._meta.model_name: site for model, site in admin.site._registry.items()}
    assert set(registered) == set(MODELS)
    actions = {name: {_named(action) for action in site.actions} for name, site in registered.items() if site.actions}
    assert actions == {name: set(of_model) for name, of_model in ACTIONS.items()}


@pytest.mark.parametrize("walker", WALKERS)
def test_accounts_submissions_and_admin_admit_whom_the_table_says(world: World, walker: str) -> None:
    wrong = []
    for own in (False, True) if walker != Role.VISITOR else (False,):
        for address, name in guarded(world, walker, own=own):
            for method in ("GET", "POST"):
                told = ask(world.clients[walker], method, address)
                expected = expected_of(
                    rule_of(name, method), walker, method, own=own, of_admin=address.startswith("/admin/")
                )
                if told not in expected:
                    wrong.append(f"{method} {address} ({name}, own={own}): {told}, not {' or '.join(expected)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("walker", WALKERS)
def test_what_is_public_is_the_same_for_everybody_and_only_read(world: World, walker: str) -> None:
    """But for the buttons of those who may press them, on pages that nobody keeps."""
    for address in world.public:
        shown, seen = world.clients[walker].get(address), first_seen(world, address)
        right = BUTTONS.get(resolve(address).view_name)
        if right and role_of_walker(walker) in BY_NAME[right].roles:
            assert b"Your actions on this page" in shown.content, address
            assert "no-store" in shown["Cache-Control"], address
        else:
            assert (shown.status_code, content(shown)) == seen, address
        assert shown.status_code in (200, 404), address
        assert not shown.cookies, address
        assert "Cookie" not in shown.get("Vary", "") or (right and walker != Role.VISITOR), address
        assert world.clients[walker].post(address).status_code == 405, address


def test_every_public_address_is_walked(world: World) -> None:
    walked = {resolve(address).view_name for address in world.public}
    there = {name for _, name in patterns() if name.startswith(("leaderboard:", "api:")) and name != "api:schema"}
    assert sorted(there - walked) == []


@pytest.mark.parametrize("walker", WALKERS)
def test_a_token_lets_in_as_its_owner_may_and_a_session_counts_for_nothing(world: World, walker: str) -> None:
    may = role_of_walker(walker) in BY_NAME["submit"].roles
    others = f"/api/v1/submissions/{world.things_of(walker, own=False).submission}/"
    assert world.clients[walker].post("/api/v1/submissions/").status_code == 401
    assert world.clients[walker].get(others).status_code == 401
    if walker == Role.VISITOR:
        return
    mine = world.own[walker]
    headers = {"authorization": f"Bearer {mine.secret}"}
    client = Client(headers=headers)
    assert client.post("/api/v1/submissions/").status_code == (400 if may else 403)
    assert client.get(f"/api/v1/submissions/{mine.submission}/").status_code == (200 if may else 403)
    assert client.get(others).status_code == (404 if may else 403)
    for address in ("/review/", "/submit/upload/", "/account/"):
        assert client.get(address).status_code == 302, "a token opens no page"


@pytest.mark.parametrize("role", Role)
def test_actions_of_the_admin_are_offered_to_whom_the_table_says(world: World, role: Role) -> None:
    if role not in STAFF:
        assert world.clients[role].post("/admin/runs/run/", {"action": "publish"}).status_code == 302
        return
    request = RequestFactory().get("/admin/")
    request.user = world.users[role]
    for model, site in admin.site._registry.items():
        name = model._meta.model_name
        wanted = {action for action, right in ACTIONS.get(name, {}).items() if role in BY_NAME[right].roles}
        assert set(site.get_actions(request)) == wanted, name


def test_an_action_that_is_not_offered_does_nothing(world: World) -> None:
    run = Run.objects.filter(state="published").first()
    assert run is not None
    chosen = {"action": "withdraw", "_selected_action": [run.pk], "reason": "because", "confirmed": "yes"}
    for role in (Role.OPERATOR, Role.MAINTAINER):
        with taken_back(world.clients[role]):
            world.clients[role].post("/admin/runs/run/", chosen)
            withdrawn = Run.objects.get(pk=run.pk).state == "withdrawn"
        assert withdrawn is (role == Role.MAINTAINER)


def test_the_size_of_the_matrix(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    pages = sum(
        2 * len(list(guarded(world, walker, own=own)))
        for walker in WALKERS
        for own in ((False, True) if walker != Role.VISITOR else (False,))
    )
    publics = 2 * len(world.public) * len(WALKERS)
    with capsys.disabled():
        sys.stdout.write(f"\n{len(list(patterns()))} addresses, {len(WALKERS)} walkers, {pages + publics} requests\n")
    assert pages + publics > 5000


def _named(action: Any) -> str:
    return action if isinstance(action, str) else str(action.__name__)


def _has_a_line(route: str, name: str, public: set[str]) -> bool:
    space, _, page = name.rpartition(":")
    if space in ("leaderboard", "api"):
        return page in public
    of_admin = PAGE_OF_ADMIN.fullmatch(name) or REDIRECT_OF_ADMIN.fullmatch(route)
    return (
        name in PEOPLE or name in SUBMISSIONS or name in ADMIN or name in BY_TOKEN or name in FOR_MACHINES
        or (of_admin is not None and of_admin[1] in MODELS)
    )  # fmt: skip


def guarded(world: World, walker: str, *, own: bool) -> Iterator[tuple[str, str]]:
    """(address, name) of everything that is neither public nor for machines, with the walker's things or others'."""
    for route, name in patterns():
        space = name.partition(":")[0]
        if space in ("leaderboard", "api") or name in FOR_MACHINES or name in BY_TOKEN:
            continue
        needs_things = "<" in route and space == "submissions"
        if own and not needs_things:
            continue  # the same address: asked once
        values = _values(world, walker, own)
        acted_on = {"result": values["result"], "run": world.site.result.run_id, "submission": values["submission"]}
        yield "/" + _filled(route, values | {"row": acted_on.get(route.partition("/")[0])}), name


def _values(world: World, walker: str, own: bool) -> dict[str, Any]:
    things, result = world.things_of(walker, own=own), world.site.result
    review = Review.objects.filter(submission=things.submission).first()
    assert review is not None
    return {
        **{"submission": things.submission, "token": things.token, "audit": things.audit, "review": review.pk},
        **{"result": result.pk, "key": "none", "uidb36": "1", "url": "nothing/", "app_label": "runs", "id": "1"},
        **{"object_id": "1", "content_type_id": "1", "action": "publish"},
    }


def _filled(route: str, values: dict[str, Any]) -> str:
    model = re.match(r"admin/(?:runs|auth)/(\w+)/", route)
    if model and "<" in route:
        values = values | dict.fromkeys(("object_id", "id"), _some(model[1]))
    route = re.sub(r"\(\?P<(\w+)>(?:\[[^]]*\]|[^)])*\)", r"<str:\1>", route).replace("^", "").replace("$", "")
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str(values[found[1]]), route)


@cache
def _some(model: str) -> int:
    """The id of a row, of those that staff may see."""
    [row] = [one for one in admin.site._registry if one._meta.model_name == model]
    return row._default_manager.order_by("pk").values_list("pk", flat=True).first() or 0


def rule_of(name: str, method: str) -> Rule:
    """The line of an address; the admin's follow from the line of their model."""
    line = PEOPLE.get(name) or SUBMISSIONS.get(name) or ADMIN.get(name)
    if line:
        return line
    found = PAGE_OF_ADMIN.fullmatch(name)
    if found is None:
        return Rule("GET POST", right="view")  # a redirect to the row's page
    model, page = MODELS[found[1]], found[2]
    right = {"add": model.add, "delete": "", "password_change": model.change}.get(page, model.view)
    if page == "change" and method == "POST":
        right = model.change
    return Rule("GET POST", right=right or "nobody", also=() if _some(found[1]) else ("404", "in"))


def ask(client: Client, method: str, address: str) -> str:
    """What somebody is told, in a word; whatever it did is taken back."""
    with taken_back(client):
        response = client.generic(method, address, content_type="application/x-www-form-urlencoded")
    target = response.get("Location", "")
    if re.match(r"(/admin)?/login/\?next=", target):
        return "log in"
    if re.match(r"/account/second-factor/(app|again)/\?next=", target):
        return "second factor"
    return str(response.status_code) if response.status_code > 400 else "in"


@contextmanager
def taken_back(client: Client) -> Iterator[None]:
    """Whatever is written, or forgotten by the client, is as before."""
    cookies = dict(client.cookies)
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    client.cookies.clear()
    client.cookies.update(cookies)


_seen: dict[str, tuple[int, bytes]] = {}


def first_seen(world: World, address: str) -> tuple[int, bytes]:
    """What a stranger without any cookie is told."""
    if address not in _seen:
        response = Client().get(address)
        _seen[address] = response.status_code, content(response)
    return _seen[address]


def content(response: Any) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else bytes(response.content)


def _dump(folder: Path) -> Path:
    (folder / "dump").mkdir()
    (folder / "dump" / "ranks.csv").write_text("rank\n")
    return folder / "dump"
