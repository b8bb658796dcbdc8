"""Text from elsewhere before anybody else reads it: folders of homes and what looks like a secret are masked.

Patterns are linear in the text: each begins with a fixed word, and what follows has a bound.
"""

from __future__ import annotations

import json
import re
from typing import Any

from evaluator import codec
from evaluator.codec import plain_text, unique_keys

MESSAGE_CHARACTERS = 2_000
MASK = "[masked]"
_NAME = r"[^/\\\s:'\"<>|,;]{1,64}"
_SLASH = r"(?:/|\\{1,4}|%2[Ff]|%5[Cc])"  # as it is, escaped once or twice, or in an address
_HOME = re.compile(
    rf"{_SLASH}(?i:homes?\d{{0,2}}|users){_SLASH}(?!\[masked\]){_NAME}"
    rf"|(?<![\w/\\.~])(?:~(?=[a-z_]){_NAME}(?=/)|home/{_NAME}(?=/))|{_SLASH}root(?![\w.-])"
)
_KNOWN = (
    r"(?<![A-Za-z0-9])(?:(?:sk|rk)[-_][\w-]{16,200}|gh[opsur]_\w{20,200}|github_pat_\w{20,200}|hf_[A-Za-z0-9]{20,100}"
    r"|glpat-[\w-]{16,100}|npm_\w{30,60}|pypi-[\w-]{30,300}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{30,60}"
    r"|xox[abeprs]-[\w-]{10,200}|arena_[\w-]{40,60})"
    r"|(?<![\w-])eyJ[\w-]{10,500}\.[\w-]{10,2000}(?:\.[\w-]{0,2000})?"  # tried once in a run of such letters
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,8000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
    r"|(?<=://)[^\s/:@\[]{0,64}:[^\s/@\[]{1,100}(?=@)"
)
_WORD = (
    r"(?i:(?:api|access|account)[_-]?key|passw(?:or)?d|passphrase|secret|token|credentials?|x-auth)[\w-]{0,40}"
    r"\\?[\"']?\s{0,3}[:=]\s{0,3}"
)
# A name and its value, an option of a command, or what follows a scheme; a call and a number are no values.
_SAID = (
    rf"|{_WORD}\\?[\"']?(?![\w.]{{0,80}}\()(?=[^\s\"']{{0,80}}[A-Za-z])[^\s\"'(),;{{}}\[\]\\]{{8,200}}"
    r"|(?<![\w-])--(?i:[\w-]{0,40}(?:key|password|secret|token)) (?=\S{0,80}[A-Za-z])"
    r"[^\s\"'(),;{}\[\]-][^\s\"'(),;{}\[\]]{7,200}"
    r"|(?i:bearer|basic) (?=\S{0,80}\d)[A-Za-z0-9+/_.=-]{16,2000}"
)
_SECRET = re.compile(_KNOWN + _SAID)
# In a source only what stands in quotes, with a figure in it, is a value.
_IN_SOURCE = re.compile(rf"{_KNOWN}|{_WORD}[\"'](?=[^\s\"']{{0,80}}[0-9])[^\s\"'(){{}}\[\]]{{8,200}}[\"']")
# What no text is masked without, in small letters: most of a record needs no further look.
_HINTS = (
    *(b"home", b"users", b"root", b"~", b"sk-", b"sk_", b"rk-", b"rk_", b"ghp_", b"gho_", b"ghs_", b"ghu_", b"ghr_"),
    *(b"github_pat_", b"hf_", b"glpat-", b"npm_", b"pypi-", b"akia", b"asia", b"aiza", b"xox", b"arena_", b"eyj"),
    *(b"private key", b"://", b"key", b"passw", b"passp", b"secret", b"token", b"credential", b"x-auth", b"bearer"),
    *(b"basic", b"\\u"),
)


def veiled(text: str) -> str:
    """The plain text, masked, whole."""
    return _masked(plain_text(text))[0]


def masked(text: str) -> tuple[str, tuple[str, ...]]:
    """The plain text, cut, and the codes of what was masked in it: keys of FINDINGS."""
    text, codes = _masked(plain_text(text[: 4 * MESSAGE_CHARACTERS]))
    if len(text) > MESSAGE_CHARACTERS:
        text = f"{text[:MESSAGE_CHARACTERS]}…"
    return text, codes


def redacted(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """JSON with every text in it masked, and the codes; the same bytes where there is nothing to mask, or no JSON."""
    lowered = data.lower()
    if not any(hint in lowered for hint in _HINTS):
        return data, ()
    try:
        value = json.loads(data.decode("utf-8-sig"), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError):  # whoever reads it next says what is wrong
        return data, ()
    found = set[str]()
    clean = _veiled_values(value, found)
    return (_written(clean) if found else data), tuple(sorted(found))


def codes_in(data: bytes) -> tuple[str, ...]:
    """The same of a source, which is kept as it is: verification needs it whole."""
    text = data.decode("utf-8", "replace")
    found = {"home_in_source": _HOME.search(text), "secret_in_source": _IN_SOURCE.search(text)}
    return tuple(code for code, match in found.items() if match)


def _written(value: Any) -> bytes:
    """As records are written; what those cannot hold stays as it came, for whoever reads it next to refuse."""
    try:
        return codec.dumps(value).encode()
    except ValueError:  # NaN, infinity, half a character
        return json.dumps(value).encode()


def _masked(text: str) -> tuple[str, tuple[str, ...]]:
    text, secrets = _SECRET.subn(MASK, text)
    text, homes = _HOME.subn(MASK, text)
    found = {"home_path": homes, "secret": secrets}
    return text, tuple(code for code, count in found.items() if count)


def _veiled_values(value: Any, found: set[str]) -> Any:
    match value:
        case str():
            text, codes = _masked(value)
            found.update(codes)
            return text
        case list():
            return [_veiled_values(item, found) for item in value]
        case dict():
            return {key: _veiled_values(item, found) for key, item in value.items()}
    return value
