"""`bundle check` and `bundle submit`. Exit codes: 0 no problem, or handed in; 1 problems; 2 usage; 3 the site fails."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any
from urllib.parse import urljoin

from evaluator.bundles.checking import check
from evaluator.bundles.parsed import DECLARABLE
from evaluator.bundles.report import json_of, text_of
from evaluator.bundles.upload import Reply, submit
from evaluator.codec import plain_text
from evaluator.errors import UsageError

OK, HAS_PROBLEMS, SITE_FAILS = 0, 1, 3
NOT_FOUND = 404
FORM = ("mail",)  # what the site's form asks beside what a bundle can declare
TOKEN_VARIABLE = "ARENABOARD_TOKEN"  # a command line can be read by everybody on the host


def run(options: argparse.Namespace) -> int:
    if not options.path.exists():
        raise UsageError(f"{options.path}: there is no such file or folder")
    return _submit(options) if options.action == "submit" else _check(options)


def _check(options: argparse.Namespace) -> int:
    checked = check(options.path, said=said_in(options.set))
    sys.stdout.write(json_of(checked) if options.json else f"{text_of(options.path.name, checked)}\n")
    return HAS_PROBLEMS if checked.problems else OK


def _submit(options: argparse.Namespace) -> int:
    """Problems are told before anything is sent."""
    if not options.consent:
        raise UsageError("--consent: that you may publish these results and sources, under the licence you name")
    said = said_in(options.set, FORM)
    checked = check(options.path, said=said)
    if checked.problems:
        sys.stdout.write(f"{text_of(options.path.name, checked)}\nnothing was sent\n")
        return HAS_PROBLEMS
    fields = {"licence": options.licence, "consent": "on", **said}
    answer = submit(options.path, options.url, options.token or os.environ.get(TOKEN_VARIABLE, ""), fields)
    sys.stdout.write(f"{_told(answer, options.url)}\n")
    if answer.is_taken:
        return OK
    return HAS_PROBLEMS if 400 <= answer.status < 500 else SITE_FAILS


def said_in(fields: Sequence[str], more: Sequence[str] = ()) -> dict[str, str]:
    """What `--set NAME=VALUE` says, by the names that a form asks for.

    Raises:
        UsageError: no such name, or no value.
    """
    said = dict[str, str]()
    for text in fields:
        name, _, said[name] = text.partition("=")
        if name not in (*DECLARABLE, *more) or not said[name]:
            raise UsageError(f"--set {text}: expected NAME=VALUE, with one of {', '.join((*DECLARABLE, *more))}")
    return said


def _told(answer: Reply, url: str) -> str:
    body: Any = answer.body
    if answer.is_taken and isinstance(body, dict):
        known = body | ({"url": urljoin(url, str(body["url"]))} if "url" in body else {})
        named = {"submission": "submission", "state": "state", "url": "url", "digest": "sha256 of the file"}
        found = [f"{text}: {known[name]!s:.300}" for name, text in named.items() if name in known]
        return plain_text("\n".join(["handed in", *found]))
    if answer.status == NOT_FOUND and not isinstance(body, dict):  # a page for people
        return plain_text(f"not handed in: {url} is not the address of a site, as https://arena.example is")
    detail = body.get("detail", body) if isinstance(body, dict) else body
    return plain_text(f"not handed in, the site says {answer.status}: {detail!s:.4000}")
