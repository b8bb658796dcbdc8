"""The marks of a scatter chart as SVG. A large board has a thousand; as template tags they took a sixth of its time."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from django.template import Library
from django.utils.safestring import SafeString, mark_safe

from leaderboard.charts.scatter import Placed

register = Library()


@register.filter
def spots(placed: Iterable[Placed]) -> SafeString:
    """The marks as SVG, later ones on top."""
    marks = (f'<svg x="{one.x}%" y="{one.y}" overflow="visible">{_mark(one)}</svg>\n' for one in placed)
    return mark_safe("".join(marks))


def _mark(one: Placed) -> str:
    group, kind = one.spot.group, "mean" if one.spot.is_mean else "single"
    path = f'<path class="spot {kind} {escape(group.colour_class)}" d="{escape(group.outline)}"/>'
    if not one.spot.is_mean:
        return f'<g transform="scale(.6)">{path}</g>'
    return f'{path}<text class="letter" x="11" y="-7">{group.letter}</text>'
