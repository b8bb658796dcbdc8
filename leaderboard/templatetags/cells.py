"""The cells of a table's row as HTML. A leaderboard has thousands; as template tags they took most of its time."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from django.template import Library
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from leaderboard.tables import Cell, Field
from leaderboard.templatetags.commands import commands

register = Library()


@register.filter
def cells(row: Sequence[tuple[Field[Any], Cell]], is_stacked: bool = False) -> SafeString:
    """The cells of a row; the first is its header. Where rows are stacked, each cell carries its column's heading."""
    heads = (f'<th scope="row"{_attributes(field, is_stacked)}>{_content(cell)}</th>' for field, cell in row[:1])
    others = (f"<td{_attributes(field, is_stacked)}>{_content(cell)}</td>" for field, cell in row[1:])
    return mark_safe("".join((*heads, *others)))


def _attributes(field: Field[Any], is_stacked: bool) -> str:
    kind = ' class="number"' if field.is_number else ' class="code"' if field.is_code else ""
    return f'{kind} data-label="{escape(field.label)}"' if is_stacked else kind


def _content(cell: Cell) -> str:
    note = f" <small>{conditional_escape(commands(cell.note))}</small>" if cell.note else ""
    return f"{_marked(cell)}{note}{_bar(cell.bar)}"


def _bar(length: float | None) -> str:
    """A bar of this part of the cell's width. What it says is the cell's text."""
    if length is None:
        return ""
    return f'<svg class="length" aria-hidden="true"><rect width="{100 * length:.1f}%" height="100%"/></svg>'


def _marked(cell: Cell) -> str:
    if not cell.mark:
        return _text(cell)
    tone = escape(cell.tone)
    shown = _text(cell) if cell.url else f'<span class="{tone}">{escape(cell.text)}</span>'
    mark = f'<span class="mark {tone}" aria-hidden="true">{escape(cell.mark)}</span>'
    return f'<span class="marked">{mark} {shown}</span>'


def _text(cell: Cell) -> str:
    text = escape(cell.text)
    if cell.url:
        return f'<a href="{escape(cell.url)}">{text}</a>'
    return f'<time datetime="{escape(cell.iso)}">{text}</time>' if cell.iso else text
