"""Commands between backticks in texts of pages, shown as code."""

from __future__ import annotations

from django.template import Library
from django.utils.html import format_html, format_html_join

from leaderboard.pages.task.description import spans

register = Library()


@register.filter
def commands(text: str) -> str:
    if "`" not in text:
        return text
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", one.text) if one.is_code else one.text,) for one in spans(text))
    )
