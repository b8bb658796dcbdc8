"""Every address of the site, in every form there is: what anybody may see, and what a member of staff does."""

from __future__ import annotations

import io
import itertools
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import Permission, User
from django.db.models import QuerySet
from django.test import Client

from evaluator.tasks.spec import CATEGORIES
from leaderboard.pages.base import Page
from leaderboard.pages.route import Route
from leaderboard.queries.public_rows import COLLECTIONS
from leaderboard.routes import ROUTES
from leaderboard.views import POLLED
from runs.models import (
    Agent,
    AgentSession,
    Claim,
    Configuration,
    DeviceClass,
    Iteration,
    ModelVersion,
    Result,
    Round,
    Run,
    Submission,
    Suite,
    Task,
)

ASKING = "?round=autumn&attempt=1&q=planted"
ADMIN = (
    *("agent", "attempt", "auditentry", "configuration", "deviceclass", "host", "result", "round", "run", "suite"),
    *(
        "task",
        "unseenevaluation",
        "submission",
        "apitoken",
        "verification",
        "resultaudit",
        "review",
        "agentsession",
        "webhook",
        "webhookdelivery",
    ),
)


def seen_by_anybody(*names: str) -> dict[str, bytes]:
    """Return the response by address, of every page, its data, tables, charts, fragments and downloads.

    `names`: of these routes alone, which is quicker.
    """
    client, found = Client(), dict[str, bytes]()
    for route in ROUTES:
        if (names and route.name not in names) or _has_no_page(route):
            continue
        pages = {address: client.get(address) for address in _addresses(route)}
        pages = {address: response for address, response in pages.items() if response.status_code == 200}
        assert pages, f"no address of {route.name} answers: give tests/runs/crawl.py values for its parts"
        for address, response in pages.items():
            found[address] = _content(response)
            others = [address + ASKING, *_forms(route, address, response.context["page"])]
            found |= {one: _response(client, one) for one in others}
    return found | {one: _response(client, one) for one in _downloads()}


def seen_at_a_glance() -> dict[str, bytes]:
    """Return the responses of one address of every route, as page and data, and of all downloads."""
    client, found = Client(), dict[str, bytes]()
    for route in (one for one in ROUTES if not _has_no_page(one)):
        answers = ((address, client.get(address)) for address in _addresses(route))
        address, response = next(answer for answer in answers if answer[1].status_code == 200)
        found |= {address: _content(response), f"/api/v1{address}": _response(client, f"/api/v1{address}")}
    return found | {one: _response(client, one) for one in _downloads()}


def seen_by_staff() -> dict[str, bytes]:
    """Return the responses to a user who may view every row of the admin but is no superuser."""
    user, _ = User.objects.get_or_create(username="staff", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="runs"))
    client = Client()
    client.force_login(user)
    lists = [f"/admin/runs/{model}/" for model in ADMIN]
    found = {address: _response(client, address) for address in lists}
    rows = {link for page in found.values() for link in re.findall(rb'href="(/admin/runs/\w+/\d+/change/)[?"]', page)}
    return found | {link.decode(): _response(client, link.decode()) for link in rows}


def _has_no_page(route: Route) -> bool:
    """Whether nobody may see a session or a corpus, so that the pages of either have no address that answers."""
    if route.name == "claimed_pair":
        return not Claim.objects.exclude(transition="").exists()
    return route.name in ("transcript", "pair") and not AgentSession.objects.visible().filter(
        result__run__state="published"
    )


def _addresses(route: Route) -> Iterator[str]:
    """Of every value that `_values` has for every part of the route's pattern."""
    names = re.findall(r"<\w+:(\w+)>", route.path)
    for values in itertools.product(*(_values()[name] for name in names)):
        address = route.path
        for value in values:
            address = re.sub(r"<\w+:\w+>", str(value), address, count=1)
        yield f"/{address}"


def _values() -> dict[str, list[object]]:
    entrants = {Agent: "configurations__runs", ModelVersion: "configurations__runs", Configuration: "runs"}
    slugs = [slug for model, runs in entrants.items() for slug in _slugs(model.objects.all(), runs)]
    return {
        "suite": list(Suite.objects.values_list("name", flat=True)),
        "category": ["all", *CATEGORIES],
        "device": list(DeviceClass.objects.values_list("slug", flat=True)[:1]),
        "source": ["arena"],
        "name": list(Task.objects.values_list("name", flat=True)),
        "run": list(Run.objects.values_list("pk", flat=True)),
        "result": list(Result.objects.values_list("pk", flat=True)),
        "version": list(Iteration.objects.values_list("pk", flat=True)),
        "claim": list(Claim.objects.values_list("pk", flat=True)),
        "submission": list(Submission.objects.values_list("pk", flat=True)),
        "slug": [*slugs, *Round.objects.values_list("slug", flat=True), "kernelbenchx-overall"],
    }


def _slugs(entrants: QuerySet[Any], runs: str) -> Iterator[str]:
    """Of every entrant that has a run, and of one that has none: nothing happens on the pages of the others."""
    active = entrants.filter(**{f"{runs}__isnull": False}).distinct()
    yield from active.order_by("pk").values_list("slug", flat=True)
    yield from entrants.exclude(pk__in=active.values("pk")).order_by("pk").values_list("slug", flat=True)[:1]


def _forms(route: Route, path: str, page: Page) -> Iterator[str]:
    yield f"/api/v1{path}"
    if route.name in POLLED:
        yield f"{path}progress/"
    yield from (f"/api/v1{path}{table}.csv" for table in page.tables)
    for chart in page.charts:
        yield from (f"/api/v1{path}{chart}.svg", f"{path}explore/{chart}/")


def _downloads() -> Iterator[str]:
    yield "/feed.atom"
    yield "/pairs.jsonl"
    for collection in COLLECTIONS:
        yield from (f"/api/v1/rows/{collection.name}/", f"/api/v1/rows/{collection.name}.csv")
    yield from (f"/run/{run.pk}/records.zip" for run in Run.objects.all())
    for result in Result.objects.all():
        yield from (f"/result/{result.pk}/{name}" for name in ("session.json", "transcript.txt", "prompt.txt"))
        yield from (f"/result/{result.pk}/attempt/1/{name}" for name in ("record.json", "log.txt", "unseen.json"))
        yield from (f"/result/{result.pk}/candidate/{path}" for path in result.candidate_files)


def _response(client: Client, address: str) -> bytes:
    return _content(client.get(address))


def _content(response: Any) -> bytes:
    """Return status and content without what differs between calls: tokens, identifiers, times."""
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if response.get("Content-Type") == "application/zip":
        content = _unpacked(content)
    for changing in (rb'csrfmiddlewaretoken" value="\w+"',):
        content = re.sub(changing, b"", content)
    return b"%d %s" % (response.status_code, content)


def _unpacked(content: bytes) -> bytes:
    """Return names and bytes of a zip's members, so that texts in them can be found."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return b"\n".join(name.encode() + b"\n" + packed.read(name) for name in packed.namelist())
