"""Answers in HTML, CSV, SVG and plain text. Each view: build the page, pick a part of it, render."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from leaderboard.figures import plotly_figure
from leaderboard.formatting import printable
from leaderboard.pages import result as result_page
from leaderboard.pages import task as task_page
from leaderboard.pages.base import Page
from leaderboard.queries import results
from leaderboard.routes import Route
from leaderboard.tables import csv_lines

View = Callable[..., HttpResponseBase]
STATIC = Path(settings.BASE_DIR) / "static"
CHART_STYLE = STATIC / "css" / "charts.css"  # a downloaded drawing carries it along
PLOTLY = STATIC / "vendor" / "plotly" / "plotly.js"  # scripts/fetch_plotly.py brings it
PROGRESS = "progress/"
POLLED = {"run": "leaderboard/_run_progress.html", "queue": "leaderboard/_queue.html"}


def reading(view: View) -> View:
    """Only GET and HEAD. Nothing is written, so that no token is asked for and other methods are refused as such."""
    return csrf_exempt(require_safe(view))


def html(route: Route) -> View:
    @reading
    def page(request: HttpRequest, **parts: Any) -> HttpResponse:
        return render(request, route.template_name, _context(request, route, _build(route, request, parts)))

    return page


def fragment(route: Route) -> View:
    """The part of a page that changes while one looks at it; polled by static/js/poll.js."""

    @reading
    def part(request: HttpRequest, **parts: Any) -> HttpResponse:
        response = render(
            request, POLLED[route.name], _context(request, route, _build(route, request, parts), PROGRESS)
        )
        response["Cache-Control"] = "no-store"
        return response

    return part


def explore(route: Route) -> View:
    """A chart to zoom into: the only page that loads plotly.js."""

    @reading
    def page(request: HttpRequest, chart: str, **parts: Any) -> HttpResponse:
        built = _build(route, request, parts)
        if chart not in built.charts:
            raise Http404
        shown = built.charts[chart]
        context = {"chart": shown, "figure": plotly_figure(shown) if PLOTLY.is_file() else None}
        context |= _context(request, route, built, f"explore/{chart}/")
        return render(request, "leaderboard/explore.html", context)

    return page


def csv(route: Route) -> View:
    @reading
    def file(request: HttpRequest, table: str, **parts: Any) -> StreamingHttpResponse:
        built = _build(route, request, parts)
        if table not in built.tables:
            raise Http404
        response = StreamingHttpResponse(csv_lines(built.tables[table]), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{route.name}-{table}.csv"'
        return response

    return file


def svg(route: Route) -> View:
    @reading
    def file(request: HttpRequest, chart: str, **parts: Any) -> HttpResponse:
        built = _build(route, request, parts)
        if chart not in built.charts:
            raise Http404
        context = {"chart": built.charts[chart], "style": CHART_STYLE.read_text(encoding="utf-8")}
        drawing = printable(render_to_string("charts/standalone.svg", context, request))
        response = HttpResponse(drawing, content_type="image/svg+xml")
        response["Content-Disposition"] = f'attachment; filename="{route.name}-{chart}.svg"'
        return response

    return file


@reading
def record(request: HttpRequest, result: int, number: int) -> HttpResponse:
    """The record of an attempt, byte for byte as the archive keeps it."""
    digest = result_page.record_digest(result, number)
    return _download(results.archived(digest) if digest else None, "application/json", f"result-{result}-{number}.json")


@reading
def unseen(request: HttpRequest, result: int, number: int) -> HttpResponse:
    """What became of it on unseen cases: nothing is there before its round is revealed."""
    return _download(results.unseen_record(result, number), "application/json", f"unseen-{result}-{number}.json")


@reading
def log(request: HttpRequest, result: int, number: int) -> HttpResponse:
    digest = result_page.record_digest(result, number)
    found = results.record(digest) if digest else None
    return _text(found.log.encode() if found else None)


@reading
def candidate(request: HttpRequest, result: int, path: str) -> HttpResponse:
    return _text(result_page.candidate_file(result, path))


@reading
def task_source(request: HttpRequest, path: str, **parts: str) -> HttpResponse:
    return _text(task_page.source_bytes(path=path, digest=request.GET.get("digest", ""), **parts))


def _build(route: Route, request: HttpRequest, parts: dict[str, Any]) -> Page:
    page = route.make(request.GET, parts)
    if page is None:
        raise Http404
    return page


def _context(request: HttpRequest, route: Route, page: Page, tail: str = "") -> dict[str, Any]:
    """`here` is the page's own address, without the tail of a part of it; `api` that of its data."""
    here, query = request.path.removesuffix(tail), request.GET.urlencode()
    place = {"route": route.name, "section": route.section or route.name, "here": here, "api": f"/api/v1{here}"}
    return place | {"page": page, "query": query and f"?{query}"}


def _text(data: bytes | None) -> HttpResponse:
    """A stranger's text: never rendered, whatever is in it."""
    if data is None:
        raise Http404
    return HttpResponse(data, content_type="text/plain; charset=utf-8")


def _download(data: bytes | None, content_type: str, name: str) -> HttpResponse:
    if data is None:
        raise Http404
    response = HttpResponse(data, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
