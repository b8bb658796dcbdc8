"""A citation as BibTeX."""

from __future__ import annotations

import re

from django.template import Library

from leaderboard.pages.board.elsewhere import Citation

register = Library()
SPECIAL = re.compile(r"([&%$#_{}])")  # to TeX


@register.filter
def bibtex(citation: Citation, origin: str) -> str:
    """The entry of a bibliography. `origin` is the site's scheme and host."""
    fields = {
        "author": "{ArenaBoard}",
        "title": f"{{{_plain(citation.title)}}}",
        "year": citation.day[:4],
        "url": f"{origin}{citation.url}",
        "urldate": citation.day,
        "note": _plain(citation.note),
    }
    lines = ",\n".join(f"  {name} = {{{text}}}" for name, text in fields.items())
    return f"@misc{{{citation.key},\n{lines}\n}}"


def _plain(text: str) -> str:
    return SPECIAL.sub(r"\\\1", text)
