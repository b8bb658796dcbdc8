"""No secret in a log: whatever looks like one, and every one that this process knows, is taken out of a text.

Patterns are linear in the text, which may quote what strangers sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

HIDDEN = "[secret]"
SHORTEST = 8  # a shorter value would be found in words
_SECRET_NAME = re.compile(r"SECRET|PASSWORD|TOKEN|KEY|CREDENTIAL")
_NAMES = "|".join(
    (
        *("passw(?:or)?d", "passphrase", "secret", "api[_-]?key", "access[_-]?key", "private[_-]?key", "credential"),
        *("sessionid", "csrf(?:middleware)?token", "otp", "totp", "signature"),
    )
)
_VALUE = r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s,;&)}\]]+)"""
_IS = r"""[\w-]{0,40}["']?[ \t]{0,4}[:=][ \t]{0,4}"""
_PATTERNS = (
    (r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?", HIDDEN),
    (
        r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-csrftoken|x-api-key)\b([\"']?\s{0,4}[:=])[^\n]*",
        rf"\1\2 {HIDDEN}",
    ),
    (r"\b([Bb]earer|Basic)\s{1,4}[^\s\"']{8,}", rf"\1 {HIDDEN}"),
    (r"(\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@:]{0,200}:[^\s/@]{1,400}@", rf"\1{HIDDEN}@"),
    (rf"(?i)((?:{_NAMES}){_IS}){_VALUE}", rf"\1{HIDDEN}"),
    (rf"(?i)(token(?!s){_IS})(?!\d{{1,9}}\b){_VALUE}", rf"\1{HIDDEN}"),  # a number is a count or a fencing token
    (r"\b(?:arena_|sk-|gh[pousr]_|xox[abp]-|AKIA)[A-Za-z0-9_-]{16,}", HIDDEN),
    (r"\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]{4,}", HIDDEN),  # a JSON web token
)
_COMPILED = tuple((re.compile(pattern), instead) for pattern, instead in _PATTERNS)


def known_secrets(environment: Mapping[str, str], *values: str) -> tuple[str, ...]:
    """These values and those of variables that are named as secrets are, the longest first."""
    named = (value for name, value in environment.items() if _SECRET_NAME.search(name.upper()))
    return tuple(sorted({one for one in (*named, *values) if len(one) >= SHORTEST}, key=len, reverse=True))


def redacted(text: str, secrets: tuple[str, ...] = ()) -> str:
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    for pattern, instead in _COMPILED:
        text = pattern.sub(instead, text)
    return text
