"""The marks of tasks in charts as SVG. A large board has thousands; as template tags they took most of its time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from html import escape

from django.template import Library
from django.utils.safestring import SafeString, mark_safe

from leaderboard.charts.boxes import Box
from leaderboard.charts.scatter import Placed, PointGroup

register = Library()


@register.filter
def spots(placed: Iterable[Placed]) -> SafeString:
    """The marks as SVG, later ones on top."""
    marks = (f'<svg x="{one.x}%" y="{one.y}" overflow="visible">{_mark(one)}</svg>\n' for one in placed)
    return mark_safe("".join(marks))


@register.filter
def dots(box: Box) -> SafeString:
    """The tasks of a box plot's row as SVG."""
    tail = f'%" cy="{box.middle_y}" r="3.5"/>'
    return mark_safe("".join(f'<circle class="task" cx="{spot.x}{tail}' for spot in box.spots))


def _mark(one: Placed) -> str:
    return _mark_of(one.spot.group, one.spot.is_mean)


@lru_cache
def _mark_of(group: PointGroup, is_mean: bool) -> str:
    kind = "mean" if is_mean else "single"
    path = f'<path class="spot {kind} {escape(group.colour_class)}" d="{escape(group.outline)}"/>'
    if not is_mean:
        return f'<g transform="scale(.6)">{path}</g>'
    return f'{path}<text class="letter" x="11" y="-7">{group.letter}</text>'
