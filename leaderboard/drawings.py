"""A chart as an SVG file with its style sheet inside."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string

from leaderboard.charts import Chart
from leaderboard.formatting import printable

CHART_STYLE = Path(settings.BASE_DIR) / "static" / "css" / "charts.css"


def drawing_of(chart: Chart) -> str:
    style = CHART_STYLE.read_text(encoding="utf-8")
    return printable(render_to_string("charts/standalone.svg", {"chart": chart, "style": style}))
