"""Charts as files: SVG with its style sheet inside, and PNG.

resvg draws the PNG. It needs no browser, but supports neither CSS variables nor media queries.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import resvg_py
from django.conf import settings
from django.template.loader import render_to_string

from leaderboard.charts import Chart
from leaderboard.formatting import printable

CHART_STYLE = Path(settings.BASE_DIR) / "static" / "css" / "charts.css"
ZOOM = 2  # 1320 pixels across: sharp in a paper's column
FONTS = (Path("/usr/share/fonts/truetype/liberation"), Path("/usr/share/fonts/truetype/liberation2"))
FAMILY = "Liberation Sans"  # one of those that charts.css names
_DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{.*?\n\}\n", re.DOTALL)
_VARIABLE = re.compile(r"(--[\w-]+):\s*([^;]+);")
_USE = re.compile(r"var\((--[\w-]+)\)")


class MissingFont(Exception):
    """The font of the charts is not installed, without which a chart has no text."""


def svg_of(chart: Chart) -> str:
    style = CHART_STYLE.read_text(encoding="utf-8")
    return printable(render_to_string("charts/standalone.svg", {"chart": chart, "style": style}))


def png_of(svg: str) -> bytes:
    """The PNG of a standalone SVG, in light colours and ZOOM times as large as on the screen.

    Raises:
        MissingFont: the font is not installed.
    """
    light = _DARK.sub("", svg)
    colours = dict(_VARIABLE.findall(light))
    plain = _USE.sub(lambda use: colours[use[1]], _VARIABLE.sub("", light))
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=plain,
            zoom=ZOOM,
            skip_system_fonts=True,
            font_files=_font_files(),
            font_family=FAMILY,
            sans_serif_family=FAMILY,
        )
    )


@cache
def _font_files() -> list[str]:
    """Paths of the two fonts. Loading all fonts of a system would take 0.1 s and more, these take 1 ms."""
    names = ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf")
    for folder in FONTS:
        if all((folder / name).is_file() for name in names):
            return [str(folder / name) for name in names]
    raise MissingFont("This server lacks the font for PNG charts: install fonts-liberation, or use the SVG")
