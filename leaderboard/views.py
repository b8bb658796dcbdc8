"""Views in HTML, CSV, JSON, SVG, PNG and plain text: each builds the page, picks a part of it and renders it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from django.conf import settings
from django.contrib.sitemaps import views as sitemaps
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import content_disposition_header, urlencode
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from leaderboard.charts import Chart, Sheet
from leaderboard.downloads.feed import feed_of_board, feed_of_changes
from leaderboard.downloads.pairs import pair_lines
from leaderboard.downloads.rows import csv_chunks
from leaderboard.downloads.run_zip import zip_chunks
from leaderboard.downloads.sitemap import ROBOTS
from leaderboard.drawings import MissingFont, badge_svg, card_of, png_of, svg_of
from leaderboard.encoding import encode
from leaderboard.figures import plotly_figure
from leaderboard.http.etags import cached_by_revision, live
from leaderboard.http.offers import Offer, has_offers, with_offers
from leaderboard.pages.base import Page, Query, day_of, page_url
from leaderboard.pages.board.elsewhere import badge_of
from leaderboard.pages.board.page import BoardPage
from leaderboard.pages.pairs.index import OF_DOWNLOAD
from leaderboard.pages.result import page as result_page
from leaderboard.pages.route import Route
from leaderboard.pages.task import page as task_page
from leaderboard.problems import problem, refuse_unknown
from leaderboard.queries import boards, dump_folder, results, sessions
from leaderboard.queries import run_files as run_files_query
from leaderboard.queries.collection import Collection
from leaderboard.query_values import refuse_invalid
from leaderboard.tables import Table, csv_lines, json_rows
from leaderboard.words import CATEGORIES

View = Callable[..., HttpResponseBase]
Part = TypeVar("Part", Table, Chart)
PLOTLY = Path(settings.BASE_DIR) / "static" / "vendor" / "plotly" / "plotly.js"  # scripts/fetch_plotly.py brings it
PROGRESS = "progress/"
ABOUT = "A leaderboard for AI agents that optimise GPU kernels."  # for previews of a page without a sentence of its own
POLLED = {"run": "leaderboard/_run_progress.html", "queue": "leaderboard/_queue.html"}


def read_only(view: View) -> View:
    """A view for GET and HEAD only. As nothing is written, it needs no CSRF token, so other methods get status 405."""
    return csrf_exempt(require_safe(view))


def only(*names: str) -> Callable[[Query], dict[str, str]]:
    """What reads a query for an address that takes these parameters and refuses others."""

    def read(query: Query) -> dict[str, str]:
        refuse_unknown(query, names)
        return dict(query.items())

    return read


def for_page(route: Route) -> Callable[[View], View]:
    """A decorator for a read-only, cached view of the route's page, which ignores parameters that it does not take."""
    return lambda view: _cached(route, view, route.known)


def for_data(route: Route) -> Callable[[View], View]:
    """The same for data, which refuses parameters that it does not take."""
    return lambda view: cached_data(route, view)


def cached_data(route: Route, view: View, media_type: str = "") -> View:
    """`view` of the route's data, read-only and cached; see `cached_by_revision`."""
    return _cached(route, view, route.asked, media_type)


def _cached(route: Route, view: View, read: Callable[[Query], dict[str, str]], media_type: str = "") -> View:
    revision_of = live if route.is_live else route.revision_of
    return read_only(cached_by_revision(view, read, revision_of=revision_of, media_type=media_type))


def html(route: Route) -> View:
    def made(request: HttpRequest, parts: dict[str, Any], offers: Sequence[Offer] = ()) -> HttpResponse:
        context = _context(request, route, _build(route, request, parts)) | {"offers": offers}
        return render(request, route.template_name, context)

    @for_page(route)
    def page(request: HttpRequest, **parts: Any) -> HttpResponse:
        return made(request, parts)

    return read_only(with_offers(route.name, page, made)) if has_offers(route.name) else page


def fragment(route: Route) -> View:
    """The part of a page that shows progress, polled by static/js/poll.js."""

    @for_page(route)
    def part(request: HttpRequest, **parts: Any) -> HttpResponse:
        response = render(
            request, POLLED[route.name], _context(request, route, _build(route, request, parts), PROGRESS)
        )
        response["Cache-Control"] = "no-store"
        return response

    return part


def explore(route: Route) -> View:
    """An interactive chart; the only page that loads plotly.js."""

    @for_page(route)
    def page(request: HttpRequest, chart: str, **parts: Any) -> HttpResponse:
        built = _build(route, request, parts)
        shown = _part(built.charts, chart)
        context = {"chart": shown, "figure": plotly_figure(shown) if PLOTLY.is_file() else None}
        context |= _context(request, route, built, f"explore/{chart}/")
        return render(request, "leaderboard/explore.html", context)

    return page


def embed(route: Route, kind: Literal["chart", "table"]) -> View:
    """One chart or table alone, in a frame of any site: without header, cookies and scripts."""

    @for_page(route)
    def page(request: HttpRequest, part: str, **parts: Any) -> HttpResponse:
        built = _build(route, request, parts)
        shown = _part(built.charts, part) if kind == "chart" else _part(built.tables, part)
        context = {kind: shown, "day": day_of(route.known(request.GET))}
        context |= _context(request, route, built, f"embed/{kind}/{part}/")
        return render(request, "leaderboard/embed.html", context)

    return xframe_options_exempt(page)


def card(route: Route) -> View:
    """The image of a page's preview in chats and feeds (OpenGraph)."""

    @for_page(route)
    def file(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        page, host = _build(route, request, parts), request.get_host()
        return _png(lambda: card_of(page.title, page.lead or ABOUT, page.card_lines, host))

    return file


def badge(route: Route) -> View:
    """A badge of a board or a cut of it, or of one of its entries among all."""

    def read(query: Query) -> dict[str, str]:
        known, kept = route.known(query), ["version", "protocol", "as_of"]
        if "ranks" in known:
            kept += ["ranks", "source", "operator"]
        return {name: value for name, value in known.items() if name in kept}

    def file(request: HttpRequest, configuration: str = "", **parts: Any) -> HttpResponse:
        page = route.build(read(request.GET), **parts)
        if page is None:
            raise Http404
        assert isinstance(page, BoardPage)
        found = badge_of(f"{page.title}, {page.device_title}", page.entries, configuration)
        if found is None:
            raise Http404
        return HttpResponse(badge_svg(found.left, found.right, found.kind), content_type="image/svg+xml")

    return _cached(route, file, read)


def csv(route: Route) -> View:
    @for_data(route)
    def file(request: HttpRequest, table: str, **parts: Any) -> HttpResponseBase:
        lines = csv_lines(_table(route, request, table, parts))
        return _named(StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8"), f"{route.name}-{table}.csv")

    return file


def json(route: Route) -> View:
    """A table as a list of objects with the typed values of its CSV."""

    @for_data(route)
    def file(request: HttpRequest, table: str, **parts: Any) -> HttpResponseBase:
        return JsonResponse(encode(json_rows(_table(route, request, table, parts))), safe=False)

    return file


def rows_csv(collection: Collection) -> View:
    """A whole collection, streamed."""

    def file(request: HttpRequest) -> HttpResponseBase:
        chunks = csv_chunks(collection, collection.narrowed(request.GET.dict()))
        return _named(StreamingHttpResponse(chunks, content_type="text/csv; charset=utf-8"), f"{collection.name}.csv")

    return read_only(cached_by_revision(file, only(*collection.filters)))


def svg(route: Route) -> View:
    @for_data(route)
    def file(request: HttpRequest, chart: str, **parts: Any) -> HttpResponseBase:
        drawing = svg_of(_sheet(route, request, chart, parts))
        return _named(HttpResponse(drawing, content_type="image/svg+xml"), f"{route.name}-{chart}.svg")

    return file


def png(route: Route) -> View:
    @for_data(route)
    def file(request: HttpRequest, chart: str, **parts: Any) -> HttpResponseBase:
        drawing = svg_of(_sheet(route, request, chart, parts))
        return _png(lambda: png_of(drawing), f"{route.name}-{chart}.png")

    return file


def _png(draw: Callable[[], bytes], name: str = "") -> HttpResponseBase:
    """An image, as a file of that name if there is one."""
    try:
        response = HttpResponse(draw(), content_type="image/png")
    except MissingFont as error:
        return problem(503, f"{error}.")
    return _named(response, name) if name else response


@read_only
@cached_by_revision
def feed(request: HttpRequest) -> HttpResponse:
    return HttpResponse(feed_of_changes(request), content_type="application/atom+xml; charset=utf-8")


@read_only
@cached_by_revision
def board_feed(request: HttpRequest, suite: str, category: str, device: str) -> HttpResponse:
    if category not in CATEGORIES or boards.find(suite, None, device) is None:
        raise Http404
    return HttpResponse(feed_of_board(request, suite, device), content_type="application/atom+xml; charset=utf-8")


@read_only
def robots(request: HttpRequest) -> HttpResponse:
    address = request.build_absolute_uri(reverse("leaderboard:sitemap_index"))
    return HttpResponse(ROBOTS.format(sitemap=address), content_type="text/plain; charset=utf-8")


sitemap_index = read_only(cached_by_revision(sitemaps.index))
sitemap = read_only(cached_by_revision(sitemaps.sitemap, only("p")))


@read_only
def dump_file(request: HttpRequest, name: str) -> FileResponse:
    """A file of the nightly dump."""
    path = dump_folder.file_path(name)
    if path is None:
        raise Http404
    return FileResponse(path.open("rb"), as_attachment=True, content_type="application/octet-stream")


@read_only
def record(request: HttpRequest, result: int, number: int) -> HttpResponseBase:
    """The record of an attempt, byte for byte as archived."""
    digest = result_page.record_digest(result, number)
    return _download(results.archived(digest) if digest else None, "application/json", f"result-{result}-{number}.json")


@read_only
def unseen(request: HttpRequest, result: int, number: int) -> HttpResponseBase:
    """The record of an attempt on unseen cases; status 404 until its round is revealed."""
    return _download(results.unseen_record(result, number), "application/json", f"unseen-{result}-{number}.json")


@read_only
@cached_by_revision
def run_files(request: HttpRequest, run: int) -> HttpResponseBase:
    """Records and candidates of a run's public results as a ZIP."""
    files = run_files_query.public_files(run)
    if files is None:
        raise Http404
    return _named(StreamingHttpResponse(zip_chunks(files), content_type="application/zip"), f"run-{run}.zip")


def _pairs(request: HttpRequest) -> HttpResponseBase:
    lines = pair_lines({name: value for name, value in request.GET.dict().items() if value})
    return _named(StreamingHttpResponse(lines, content_type="application/jsonl; charset=utf-8"), "pairs.jsonl")


def _asked_of_pairs(query: Query) -> dict[str, str]:
    refuse_invalid(query)
    return only(*OF_DOWNLOAD)(query)


pairs_jsonl = read_only(cached_by_revision(_pairs, _asked_of_pairs))


@read_only
def log(request: HttpRequest, result: int, number: int) -> HttpResponseBase:
    digest = result_page.record_digest(result, number)
    found = results.record(digest) if digest else None
    return _text_download(found.log.encode() if found else None, f"result-{result}-{number}.txt")


@read_only
def session(request: HttpRequest, result: int) -> HttpResponseBase:
    """An agent's session on a result's task, byte for byte; status 404 until its round is revealed."""
    return _download(sessions.session_bytes(result), "application/json", f"session-{result}.json")


@read_only
def session_transcript(request: HttpRequest, result: int) -> HttpResponseBase:
    return _text_download(sessions.transcript_bytes(result), f"transcript-{result}.txt")


@read_only
def session_prompt(request: HttpRequest, result: int) -> HttpResponseBase:
    return _text_download(sessions.prompt_bytes(result), f"prompt-{result}.txt")


@read_only
def candidate(request: HttpRequest, result: int, path: str) -> HttpResponseBase:
    return _text_download(result_page.candidate_file(result, path), path.rpartition("/")[2])


@read_only
def task_source(request: HttpRequest, path: str, **parts: str) -> HttpResponseBase:
    return _text_download(
        task_page.source_bytes(path=path, digest=request.GET.get("digest", ""), **parts), path.rpartition("/")[2]
    )


def _table(route: Route, request: HttpRequest, table: str, parts: dict[str, Any]) -> Table:
    return _part(_build(route, request, parts).tables, table)


def _sheet(route: Route, request: HttpRequest, chart: str, parts: dict[str, Any]) -> Sheet:
    """A chart with what says where it is from, as it is looked at without its page."""
    page, known = _build(route, request, parts), route.known(request.GET)
    address = reverse(f"leaderboard:{route.name}", kwargs=parts) + (f"?{urlencode(known)}" if known else "")
    source = (f"ArenaBoard, as of {day_of(known)}", request.build_absolute_uri(address))
    return Sheet(_part(page.charts, chart), page.subject or page.title, source)


def _part(parts: Mapping[str, Part], name: str) -> Part:
    if name not in parts:
        raise Http404
    return parts[name]


def _build(route: Route, request: HttpRequest, parts: dict[str, Any]) -> Page:
    page = route.make(request.GET, parts)
    if page is None:
        raise Http404
    return page


def _context(request: HttpRequest, route: Route, page: Page, tail: str = "") -> dict[str, Any]:
    """The context of a page: `here` is its address without `tail`, `api` that of its data.

    `about` and `card` are the text and the image of its preview. `query` has only what the page takes, since data
    refuses other parameters, such as those that other sites add.
    """
    here, query = request.path.removesuffix(tail), urlencode(route.known(request.GET))
    place = {"route": route.name, "section": route.section or route.name, "here": here, "api": f"/api/v1{here}"}
    place["origin"] = request.build_absolute_uri("/").removesuffix("/")
    place |= {"about": page.lead or ABOUT, "card": f"{here}card.png" if route.is_shared else page_url("home_card")}
    return place | {"page": page, "query": query and f"?{query}"}


def _text_download(data: bytes | None, name: str) -> HttpResponseBase:
    """Untrusted text as a file, so that no browser renders what is in it."""
    return _download(data, "text/plain; charset=utf-8", name)


def _download(data: bytes | None, content_type: str, name: str) -> HttpResponseBase:
    if data is None:
        raise Http404
    return _named(HttpResponse(data, content_type=content_type), name)


def _named(response: HttpResponseBase, name: str) -> HttpResponseBase:
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    return response
