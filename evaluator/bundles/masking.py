"""Text from logs before anybody else reads it: folders of homes and what looks like a secret are masked."""

from __future__ import annotations

import re

from evaluator.codec import plain_text

MESSAGE_CHARACTERS = 2_000
MASK = "[masked]"
_HOME = re.compile(r"(?:/home|/Users|[A-Za-z]:\\Users)[/\\][^/\\\s:'\"]{1,64}|/root(?=/)")
_SECRET = re.compile(
    r"\b(?:sk-[\w-]{16,200}|gh[opsu]_\w{20,200}|github_pat_\w{20,200}|hf_[A-Za-z0-9]{20,100}|glpat-[\w-]{16,100}"
    r"|AKIA[A-Z0-9]{16}|xox[abpr]-[\w-]{10,200})"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----"
    r"|\b(?i:authorization: *bearer|api[_-]?key|password|secret|token)[\"']? ?[:=] ?[\"']?[^\s\"']{12,200}"
)


def veiled(text: str) -> str:
    """The plain text, masked, whole."""
    return _SECRET.sub(MASK, _HOME.sub(MASK, plain_text(text)))


def masked(text: str) -> tuple[str, tuple[str, ...]]:
    """The plain text, cut, and the codes of what was masked in it: keys of FINDINGS."""
    text = plain_text(text[: 4 * MESSAGE_CHARACTERS])
    text, homes = _HOME.subn(MASK, text)
    text, secrets = _SECRET.subn(MASK, text)
    if len(text) > MESSAGE_CHARACTERS:
        text = f"{text[:MESSAGE_CHARACTERS]}…"
    found = {"home_path": homes, "secret": secrets}
    return text, tuple(code for code, count in found.items() if count)


def codes_in(data: bytes) -> tuple[str, ...]:
    """The same of a source, which is kept as it is: verification needs it whole."""
    text = data.decode("utf-8", "replace")
    found = {"home_path": _HOME.search(text), "secret": _SECRET.search(text)}
    return tuple(code for code, match in found.items() if match)
