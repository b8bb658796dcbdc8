"""The commands `bundle check` and `bundle submit`.

Exit codes: 0 no problems, or submitted; 1 problems, or rejected by the site; 2 wrong usage; 3 the site failed.
"""

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
from evaluator.bundles.tasklists import KERNELBENCH_LEVELS
from evaluator.bundles.upload import Reply, submit
from evaluator.codec import plain_text
from evaluator.errors import UsageError

OK, HAS_PROBLEMS, SITE_FAILS = 0, 1, 3
NOT_FOUND = 404
FORM = ("mail",)  # fields of the site's form beside the facts that a bundle can declare
TOKEN_VARIABLE = "ARENABOARD_TOKEN"  # safer than an option: everybody on the host can see command lines


def run(options: argparse.Namespace) -> int:
    if not options.path.exists():
        raise UsageError(f"{options.path}: no such file or folder")
    return _submit(options) if options.action == "submit" else _check(options)


def _check(options: argparse.Namespace) -> int:
    checked = check(options.path, declared=declared_facts(options.set))
    sys.stdout.write(json_of(checked) if options.json else f"{text_of(options.path.name, checked)}\n")
    return HAS_PROBLEMS if checked.problems else OK


def _submit(options: argparse.Namespace) -> int:
    """Check a bundle and, if it has no problems, submit it."""
    if not options.consent:
        raise UsageError("--consent is required: it confirms that you may publish the bundle under this licence")
    declared = declared_facts(options.set, FORM)
    checked = check(options.path, declared=declared)
    if checked.problems:
        sys.stdout.write(f"{text_of(options.path.name, checked)}\nnot submitted\n")
        return HAS_PROBLEMS
    fields = {"licence": options.licence, "consent": "on", **declared}
    reply = submit(options.path, options.url, options.token or os.environ.get(TOKEN_VARIABLE, ""), fields)
    sys.stdout.write(f"{_reply_text(reply, options.url)}\n")
    if reply.is_accepted:
        return OK
    return HAS_PROBLEMS if 400 <= reply.status < 500 else SITE_FAILS


def declared_facts(fields: Sequence[str], more: Sequence[str] = ()) -> dict[str, str]:
    """The facts of `--set NAME=VALUE` options by name; names are keys of DECLARABLE, or among `more`.

    Raises:
        UsageError: an unknown name, no value, or no level of KernelBench.
    """
    declared = dict[str, str]()
    for text in fields:
        name, _, declared[name] = text.partition("=")
        if name not in (*DECLARABLE, *more) or not declared[name]:
            raise UsageError(f"--set {text}: expected NAME=VALUE, with one of {', '.join((*DECLARABLE, *more))}")
        if name == "level" and declared[name] not in KERNELBENCH_LEVELS:
            raise UsageError(f"--set {text}: expected one of the levels {', '.join(KERNELBENCH_LEVELS)}")
    return declared


def _reply_text(reply: Reply, url: str) -> str:
    body: Any = reply.body
    if reply.is_accepted and isinstance(body, dict):
        known = body | ({"url": urljoin(url, str(body["url"]))} if "url" in body else {})
        named = {"submission": "submission", "state": "state", "url": "url", "digest": "sha256 of the file"}
        found = [f"{text}: {known[name]!s:.300}" for name, text in named.items() if name in known]
        return plain_text("\n".join(["submitted", *found]))
    if reply.status == NOT_FOUND and not isinstance(body, dict):  # an HTML page
        return plain_text(f"not submitted: {url} is not the address of an ArenaBoard site")
    detail = body.get("detail", body) if isinstance(body, dict) else body
    return plain_text(f"not submitted: the site replied {reply.status}: {detail!s:.4000}")
