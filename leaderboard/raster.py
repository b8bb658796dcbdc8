"""A drawing as PNG. resvg draws it, without a browser; of style sheets it knows no variables and no media queries."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import resvg_py

ZOOM = 2  # 1320 pixels across: sharp in a paper's column
FONTS = (Path("/usr/share/fonts/truetype/liberation"), Path("/usr/share/fonts/truetype/liberation2"))
FAMILY = "Liberation Sans"  # one of those that charts.css names
_DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{.*?\n\}\n", re.DOTALL)
_VARIABLE = re.compile(r"(--[\w-]+):\s*([^;]+);")
_USE = re.compile(r"var\((--[\w-]+)\)")


class NoLetters(Exception):
    """This host lacks the font that charts are written in: a drawing without letters would tell nothing."""


def png_of(drawing: str) -> bytes:
    """A standalone drawing in its light colours, twice as large as on the screen.

    Raises:
        NoLetters: the font is not installed.
    """
    light = _DARK.sub("", drawing)
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
    """Loading all fonts of a system takes 0.1 s and more, these two 1 ms."""
    names = ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf")
    for folder in FONTS:
        if all((folder / name).is_file() for name in names):
            return [str(folder / name) for name in names]
    raise NoLetters("this server has no font to write a chart with; its SVG needs none. Install fonts-liberation")
