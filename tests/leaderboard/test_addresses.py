"""Addresses with invalid queries or methods, and what every response has to keep to."""

from __future__ import annotations

import re

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from leaderboard.navigation import NAVIGATION
from leaderboard.routes import ROUTES
from tests import factories


@pytest.mark.parametrize(
    "address", ["/nothing/", "/run/999/", "/task/hip2hip/arena/nothing/", "/published/nothing/", "/run/1/explore/x/"]
)
def test_a_missing_page_says_where_to_go(db, client, address) -> None:
    response = client.get(address)
    assert response.status_code == 404
    assert b"Start again from the" in response.content


def test_a_fault_of_ours_says_what_to_do(db, client, monkeypatch) -> None:
    from leaderboard import queries

    monkeypatch.setattr(queries.runs, "newest", lambda *args, **named: 1 / 0)
    client.raise_request_exception = False
    response = client.get("/runs/")
    assert response.status_code == 500
    assert b"Something went wrong on our side" in response.content


def test_pages_carry_no_inline_style_or_script(published, client) -> None:
    run = published()
    result = run.results.first()
    for address in (
        "/",
        "/board/smoke/all/cpu-x86_64/",
        f"/run/{run.pk}/",
        f"/result/{result.pk}/",
        "/queue/",
        "/metrics/",
    ):
        body = client.get(address).content.decode()
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=)", body), address


@pytest.mark.parametrize(
    "query",
    [
        "suite=%00",
        "protocol=%00",
        "version=99999999999999999999",
        "version=-1",
        "attempt=x",
        "page=%FF",
        "sort[]=1",
        "digest=%00",
        "source=nowhere",
        "operator=none&agent=nobody",
    ],
)
def test_odd_queries_break_nothing(published, suite, client, query) -> None:
    run = published()
    task = suite.tasks.first()
    for address in (
        "/",
        "/runs/",
        "/board/smoke/all/cpu-x86_64/",
        "/distribution/smoke/all/cpu-x86_64/",
        "/efficiency/smoke/all/cpu-x86_64/",
        "/quality/smoke/all/cpu-x86_64/",
        f"/result/{run.results.first().pk}/",
        f"/task/{task.path}/",
    ):
        assert client.get(f"{address}?{query}").status_code in (200, 404)
        assert client.get(f"/api/v1{address}?{query}").status_code in (200, 400, 404)


@pytest.mark.parametrize("address", ["/run/99999999999999999999/", "/result/99999999999999999999/", "/run/0/"])
def test_odd_numbers_are_not_found(db, client, address) -> None:
    assert client.get(address).status_code == 404


def test_a_suite_may_be_called_like_a_part_of_an_address(db, client) -> None:
    suite = factories.make_suite(name="explore")
    factories.make_run(suite=suite, status="passed", state="published")
    address = "/board/explore/all/cpu-x86_64/"
    assert f'href="/api/v1{address}rates.svg"' in client.get(f"{address}explore/rates/").content.decode()


@pytest.mark.parametrize("address", ["/", "/runs/", "/queue/progress/", "/api/v1/runs/", "/api/v1/runs/runs.csv"])
def test_pages_are_only_read(db, address) -> None:
    assert Client(enforce_csrf_checks=True).post(address).status_code == 405


def test_a_form_without_a_token_is_refused_in_words(db) -> None:
    response = Client(enforce_csrf_checks=True).post("/login/", {"login": "admin"})
    assert response.status_code == 403
    assert b"The form was not accepted" in response.content
    assert b"style=" not in response.content
    assert b"<style" not in response.content


def test_the_admin_names_an_icon_that_is_there(admin_client) -> None:
    body = admin_client.get("/admin/").content.decode()
    [icon] = re.findall(r'<link rel="icon" href="/static/([^"]+)"', body)
    assert finders.find(icon)


def test_every_page_belongs_to_a_link_of_the_header() -> None:
    assert {route.section or route.name for route in ROUTES} == {*NAVIGATION, "search"}


def test_every_page_leads_to_all_whose_address_names_nothing(db, client) -> None:
    body = client.get("/roles/").content.decode()
    header, footer = body.partition("</header>")[0], body.partition("<footer")[2]
    linked = set(re.findall(r'(?:href|action)="(/[^"]*)"', header + footer))
    assert {f"/{route.path}" for route in ROUTES if "<" not in route.path} <= linked
    assert len(re.findall("<li>", header)) == 7, "six pages, and Log in"


def test_the_header_marks_the_page_itself_and_the_section_of_others(db, client) -> None:
    links = r'<a href="(/[\w-]*/?)"\s+aria-current="(\w+)">'
    for address, marked in (("/submit/", ("/submit/", "page")), ("/hosts/", ("/submit/", "true"))):
        header = client.get(address).content.decode().partition("</header>")[0]
        assert re.findall(links, header) == [marked]
    assert "aria-current" not in client.get("/login/").content.decode().partition("</header>")[0]
