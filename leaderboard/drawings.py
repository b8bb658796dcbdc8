"""Charts as files: SVG with its style sheet inside, and PNG.

resvg draws the PNG. It needs no browser, but knows neither CSS variables nor media queries, nor strokes of one width.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from textwrap import wrap

import resvg_py
from django.conf import settings
from django.template.loader import render_to_string

from leaderboard.charts import Sheet
from leaderboard.formatting import printable

CHART_STYLE = Path(settings.BASE_DIR) / "static" / "css" / "charts.css"
ZOOM = 2  # 1320 pixels across: sharp in a paper's column
BADGE_LETTER, BADGE_MARGIN = 6.4, 14  # pixels: the width of a letter, and what is left beside a text
FONTS = (Path("/usr/share/fonts/truetype/liberation"), Path("/usr/share/fonts/truetype/liberation2"))
FAMILY = "Liberation Sans"  # one of those that charts.css names
_DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{.*?\n\}\n", re.DOTALL)
_VARIABLE = re.compile(r"(--[\w-]+):\s*([^;]+);")
_USE = re.compile(r"var\((--[\w-]+)\)")
_PLOT = re.compile(
    r'(?P<head><svg [^>]*width="(?P<width>[\d.]+)%" height="(?P<height>[\d.]+)") viewBox="0 0 100 100"\s+'
    r'preserveAspectRatio="none"(?P<inside>.*?</svg>)',
    re.DOTALL,
)
_PATH = re.compile(r' d="([^"]*)"')
_STEP = re.compile(r"(?P<letter>[MLHV])(?P<first>[\d.]+)(?: (?P<second>[\d.]+))?")
PLOT_WIDTH = 620  # pixels: of a chart on its sheet


class MissingFont(Exception):
    """The font of the charts is not installed, without which a chart has no text."""


def svg_of(sheet: Sheet) -> str:
    context = {"sheet": sheet, "chart": sheet.chart, "style": CHART_STYLE.read_text(encoding="utf-8")}
    return printable(render_to_string("charts/standalone.svg", context))


def badge_svg(left: str, right: str, kind: str) -> str:
    """A badge as small as a line of text: what it is about, and the value."""
    lengths = [round(BADGE_LETTER * len(text)) for text in (left, right)]
    middle, width = lengths[0] + BADGE_MARGIN, sum(lengths) + 2 * BADGE_MARGIN
    texts = [(middle // 2, lengths[0], left), ((middle + width) // 2, lengths[1], right)]
    context = {"width": width, "middle": middle, "texts": texts, "name": f"{left}: {right}", "kind": kind}
    return printable(render_to_string("charts/badge.svg", context))


def card_of(title: str, lead: str, lines: Sequence[tuple[str, str]], host: str) -> bytes:
    """A page's preview image: its title, the sentence below it, and its first lines with their values.

    Raises:
        MissingFont: the font is not installed.
    """
    titles, texts = _shortened(title, 36, 2), _shortened(lead, 68, 1 if lines else 4)
    text_y = 180 + 72 * len(titles)
    line_y = text_y + 44 * len(texts) + 36
    context = {
        "titles": [(190 + 72 * index, text) for index, text in enumerate(titles)],
        "texts": [(text_y + 44 * index, text) for index, text in enumerate(texts)],
        "lines": [
            (line_y + 62 * index, name if len(name) <= 34 else f"{name[:33]}…", value)
            for index, (name, value) in enumerate(lines)
        ],
        "host": host,
    }
    return png_of(printable(render_to_string("charts/card.svg", context)), zoom=1)


def _shortened(text: str, letters: int, most: int) -> list[str]:
    return wrap(text, letters, max_lines=most, placeholder=" …")


def png_of(svg: str, zoom: int = ZOOM) -> bytes:
    """The PNG of a standalone SVG, `zoom` times as large as on the screen.

    Raises:
        MissingFont: the font is not installed.
    """
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=for_resvg(svg),
            zoom=zoom,
            skip_system_fonts=True,
            font_files=_font_files(),
            font_family=FAMILY,
            sans_serif_family=FAMILY,
        )
    )


def for_resvg(svg: str) -> str:
    """The same drawing, in light colours, without what resvg does not know: variables, and plots that are stretched."""
    light = _DARK.sub("", svg)
    colours = dict(_VARIABLE.findall(light))
    return _PLOT.sub(_in_pixels, _USE.sub(lambda use: colours[use[1]], _VARIABLE.sub("", light)))


def _in_pixels(plot: re.Match[str]) -> str:
    """A plot whose paths were in percent of its size: resvg would stretch their strokes with it, as browsers do not."""
    across, down = float(plot["width"]) / 100 * PLOT_WIDTH / 100, float(plot["height"]) / 100

    def step(found: re.Match[str]) -> str:
        if found["letter"] == "V":
            return f"V{float(found['first']) * down:.2f}"
        up = f" {float(found['second']) * down:.2f}" if found["second"] else ""
        return f"{found['letter']}{float(found['first']) * across:.2f}{up}"

    return plot["head"] + _PATH.sub(lambda path: f' d="{_STEP.sub(step, path[1])}"', plot["inside"])


@cache
def _font_files() -> list[str]:
    """Paths of the two fonts. Loading all fonts of a system would take 0.1 s and more, these take 1 ms."""
    names = ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf")
    for folder in FONTS:
        if all((folder / name).is_file() for name in names):
            return [str(folder / name) for name in names]
    raise MissingFont("This server lacks the font for PNG charts: install fonts-liberation, or use the SVG")
