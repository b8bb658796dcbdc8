"""A real browser on a real server. Chromium comes from Debian, axe from the package axe-playwright-python."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.conftest import lacking

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"),
    *("--disable-component-update", "--disable-default-apps", "--disable-extensions"),
]
LOOKS = (("light", 1200), ("dark", 320))  # schemes and widths; pages are opened with the first
PHONE = 640  # below it, tables of many columns are stacked
REDRAWN_WITHIN_S = 60.0
SHOTS = os.environ.get("ARENA_SHOTS")  # a folder: what each page looks like
CUT_OFF = """
[...document.querySelectorAll("svg.chart text")].filter(text => {
  const [own, whole] = [text, text.closest("svg.chart")].map(one => one.getBoundingClientRect())
  return own.width && (own.right > whole.right + 1 || own.left < whole.left - 1)
}).map(text => text.textContent)
"""
# What may be wider than a phone: source, charts whose names cannot be wrapped, tables of everything by everything.
SIDEWAYS = """
[...document.querySelectorAll("body *")].filter(one =>
  ["auto", "scroll", "hidden"].includes(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth + 1
  && !one.closest(".code-scroll, .matrix, .printed, .visually-hidden, svg") && !one.querySelector(".chart.wide")
).map(one => `${one.tagName} ${one.id} ${one.className}: ${one.scrollWidth} in ${one.clientWidth}`)
"""
# The browser's driver runs an event loop in this thread, in which Django would refuse to make rows.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
DEADLINE_MS = 120_000  # a page is there in a moment on a quiet machine
expect.set_options(timeout=DEADLINE_MS)


@dataclass
class Visitor:
    """A browser page that remembers everything that went wrong on it."""

    page: Page
    base: str
    faults: list[str] = field(default_factory=list)

    def go(self, address: str) -> Page:
        answer = self.page.goto(self.base + address)
        assert answer is not None
        assert answer.ok, f"{address}: {answer.status}"
        return self.page

    def judge(self, name: str) -> None:
        """Assert that the page, called `name` in failures, is clean in every look, after one load."""
        for scheme, width in LOOKS:
            self._take_on(scheme, width)
            if SHOTS:
                shot = f"{name.strip('/').replace('/', '-')}-{width}.png"
                self.page.screenshot(path=Path(SHOTS) / shot, full_page=True)
            assert self.violations() == [], f"{name}, {scheme}, {width}"
            assert self.overflow() <= 0, f"{name}, {scheme}, {width}"
            assert self.cut_off() == [], f"{name}, {scheme}, {width}"
            if width < PHONE:
                assert self.sideways() == [], f"{name}, {width}"
        self._take_on(*LOOKS[0])

    def _take_on(self, scheme: Any, width: int) -> None:
        self.page.emulate_media(color_scheme=scheme)
        self.page.set_viewport_size({"width": width, "height": 900})
        deadline = time.monotonic() + REDRAWN_WITHIN_S  # wait_for_function would evaluate text, against our CSP
        while self.overflow() > 0 and time.monotonic() < deadline:  # a chart that is being explored follows
            self.page.wait_for_timeout(50)

    def violations(self) -> list[str]:
        """What axe says of the page as it stands: WCAG 2.2 AA and best practices."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(axe_source())
        found = self.page.evaluate("axe.run({resultTypes: ['violations']}).then(result => result.violations)")
        return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def cut_off(self) -> list[str]:
        """Texts of charts that end outside of their drawing, where nobody can read them."""
        return list(self.page.evaluate(CUT_OFF))

    def sideways(self) -> list[str]:
        """Parts of the page that hold more than they show, so that a reader has to scroll them sideways."""
        return list(self.page.evaluate(SIDEWAYS))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        lacking(f"there is no Chromium at {CHROMIUM}: apt-get install chromium, or set CHROMIUM")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: Browser, live_server: Any) -> Iterator[Callable[..., Visitor]]:
    """Open a page of its own; at the end of the test nothing may have gone wrong on any."""
    visitors = []

    def opened(*, width: int = 1200, scheme: str = "light", javascript: bool = True) -> Visitor:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]
            java_script_enabled=javascript,
        )
        context.set_default_timeout(DEADLINE_MS)
        visitor = Visitor(context.new_page(), live_server.url)
        _listen(visitor)
        visitors.append(visitor)
        return visitor

    yield opened
    for visitor in visitors:
        visitor.page.context.close()
    assert [fault for visitor in visitors for fault in visitor.faults] == []


def axe_source() -> str:
    spec = find_spec("axe_playwright_python")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name("axe.min.js").read_text(encoding="utf-8")


def _listen(visitor: Visitor) -> None:
    page, faults = visitor.page, visitor.faults
    page.on("console", lambda message: message.type in ("error", "warning") and faults.append(message.text[:300]))
    page.on("pageerror", lambda error: faults.append(str(error)[:300]))
    page.on("requestfailed", lambda request: _is_fault(request.failure) and faults.append(f"{request.url} failed"))
    page.on("response", lambda answer: answer.status >= 400 and faults.append(f"{answer.url}: {answer.status}"))


def _is_fault(failure: str | None) -> bool:
    """A download, and a request that a new page cuts short, are called aborted; neither is a fault."""
    return "ERR_ABORTED" not in (failure or "")
