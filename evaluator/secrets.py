"""Secrets in texts, by one set of patterns. Two things are done with them, for two kinds of text.

Masking is for texts from elsewhere that become public, of bundles and of agents' sessions: what is surely a secret, or
the folder of somebody's home, becomes [masked], and all else stays as it was. Redaction is for what this host says of
its own faults: the secrets that it knows, and whatever could be one, become [secret]; an honest word may go with them.

Patterns are linear in the text, which may be a stranger's: each begins with a fixed word, and what can fail is bounded.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar

from evaluator import codec
from evaluator.codec import plain_text, unique_keys

T = TypeVar("T")
MASK, REDACTED = "[masked]", "[secret]"
MESSAGE_CHARACTERS = 2_000
SHORTEST = 8  # a shorter value would be found in words

# A secret by its own form.
_TOKEN = (
    r"(?<![A-Za-z0-9])(?:(?:sk|rk)[-_][\w-]{16,}|gh[opsur]_[\w-]{16,}|github_pat_\w{20,}|hf_[A-Za-z0-9]{20,}"
    r"|glpat-[\w-]{16,}|npm_\w{30,}|pypi-[\w-]{30,}|A(?:KIA[\w-]{16,}|SIA[A-Z0-9]{16})|AIza[\w-]{30,}"
    r"|xox[abeprs]-[\w-]{10,}|arena_[\w-]{40,})"
    r"|(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?"  # a JSON web token; tried once in a run of such letters
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
    r"|(?<=://)[^\s/:@\[]{0,200}:(?![^\s/@]{0,400}\[masked\])[^\s/@]{1,400}(?=@)"
)
# A secret by the word before it: a scheme of a header, or an option of a command.
_SCHEME = r"(?i:bearer|basic) {1,4}(?=\S{0,80}\d)[A-Za-z0-9+/_.=-]{16,}"
_OPTION = (
    r"(?<![\w-])--(?i:[\w-]{0,40}(?:key|password|secret|token)) (?=\S{0,80}[A-Za-z])"
    r"[^\s\"'(),;{}\[\]-][^\s\"'(),;{}\[\]]{7,}"
)
# Names whose values are secrets; those of tokens are not where they are numbers, which count tokens. What uses them
# looks at the first letter alone before it: a third of the time.
_NAME = (
    r"(?:api|access|account|private)[_-]?key|passw(?:or)?d|passphrase|secret|credential|sessionid"
    r"|authorization|cookie|x-auth"
)

# Masking: the value of a name has eight characters and a letter, and is no call.
_NAMED = rf"(?=[acpstxACPSTX])(?i:{_NAME}|token)[\w-]{{0,40}}\\?[\"']?\s{{0,3}}[:=]\s{{0,3}}"
_SURELY = re.compile(
    rf"{_TOKEN}|{_SCHEME}|{_OPTION}"
    rf"|{_NAMED}\\?[\"']?(?![\w.]{{0,80}}\()(?=[^\s\"']{{0,80}}[A-Za-z])[^\s\"'(),;{{}}\[\]\\]{{8,}}"
)
# In a source only what stands in quotes, with a figure in it, is a value.
_IN_SOURCE = re.compile(rf"{_TOKEN}|{_NAMED}[\"'](?=[^\s\"']{{0,80}}[0-9])[^\s\"'(){{}}\[\]]{{8,200}}[\"']")
_FOLDER = r"[^/\\\s:'\"<>|,;]{1,64}"
_SLASH = r"(?:/|\\{1,4}|%2[Ff]|%5[Cc])"  # as it is, escaped once or twice, or in an address
_HOME = re.compile(
    rf"{_SLASH}(?i:homes?\d{{0,2}}|users){_SLASH}(?!\[masked\]){_FOLDER}"
    rf"|(?<![\w/\\.~])(?:~(?=[a-z_]){_FOLDER}(?=/)|home/{_FOLDER}(?=/))|{_SLASH}root(?![\w.-])"
)
# What no text is masked without, in small letters: most of a record needs no further look.
_HINTS = (
    *(b"home", b"users", b"root", b"~", b"sk-", b"sk_", b"rk-", b"rk_", b"ghp_", b"gho_", b"ghs_", b"ghu_", b"ghr_"),
    *(b"github_pat_", b"hf_", b"glpat-", b"npm_", b"pypi-", b"akia", b"asia", b"aiza", b"xox", b"arena_", b"eyj"),
    *(b"private key", b"://", b"key", b"passw", b"passp", b"secret", b"token", b"credential", b"sessionid"),
    *(b"authorization", b"cookie", b"x-auth", b"bearer", b"basic", b"\\u"),
)

# Redaction: the whole of a header, any value of a name, and words that an honest text has as well.
_REDACTED_IS = r"""[\w-]{0,40}\\?["']?[ \t]{0,4}[:=][ \t]{0,4}"""
_REDACTED_VALUE = r"""(?!\[secret\](?:[\s"',;&)}\]]|$))(?:"[^"\n]*"|'[^'\n]*'|[^\s,;&)}\]]+)"""
_REDACTIONS = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (rf"{_TOKEN}|{_SCHEME}|{_OPTION}|\barena_[\w-]{{16,}}", REDACTED),
        (
            r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-csrftoken|x-api-key)\b([\"']?\s{0,4}[:=])[^\n]*",
            rf"\1\2 {REDACTED}",
        ),
        (r"\b([Bb]earer|Basic)\s{1,4}[^\s\"']{8,}", rf"\1 {REDACTED}"),
        (rf"(?i)(?=[acopstx])((?:{_NAME}|otp|signature){_REDACTED_IS}){_REDACTED_VALUE}", rf"\1{REDACTED}"),
        (rf"(?i)(token(?!s){_REDACTED_IS})(?!\d{{1,9}}\b){_REDACTED_VALUE}", rf"\1{REDACTED}"),
    )
)
_SECRET_VARIABLE = re.compile(r"SECRET|PASSWORD|TOKEN|KEY|CREDENTIAL")


def mask_text(text: str) -> str:
    """The plain text, whole, with secrets and homes masked."""
    return _mask(plain_text(text))[0]


def mask_message(text: str) -> tuple[str, tuple[str, ...]]:
    """The plain text, masked and cut, and the codes of what was masked in it: keys of the bundles' FINDINGS."""
    text, codes = _mask(plain_text(text[: 4 * MESSAGE_CHARACTERS]))
    if len(text) > MESSAGE_CHARACTERS:
        text = f"{text[:MESSAGE_CHARACTERS]}…"
    return text, codes


def mask_json(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """JSON with every text in it masked, and the codes; the same bytes where there is nothing to mask, or no JSON."""
    lowered = data.lower()
    if not any(hint in lowered for hint in _HINTS):
        return data, ()
    try:
        value = json.loads(data.decode("utf-8-sig"), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError):  # whoever reads it next says what is wrong
        return data, ()
    found = set[str]()
    clean = _mask_values(value, found)
    return (_json_of(clean) if found else data), tuple(sorted(found))


def codes_in_source(data: bytes) -> tuple[str, ...]:
    """The codes of what would be masked in a source, which is kept as it is: verification needs it whole."""
    text = data.decode("utf-8", "replace")
    found = {"home_in_source": _HOME.search(text), "secret_in_source": _IN_SOURCE.search(text)}
    return tuple(code for code, match in found.items() if match)


def known_secrets(environment: Mapping[str, str], *values: str) -> tuple[str, ...]:
    """These values and those of variables that are named as secrets are, the longest first.

    Without blanks and line ends around them, as they are used: files of variables add some.
    """
    named = (value for name, value in environment.items() if _SECRET_VARIABLE.search(name.upper()))
    found = {one.strip() for one in (*named, *values)}
    return tuple(sorted((one for one in found if len(one) >= SHORTEST), key=len, reverse=True))


def redact(text: str, secrets: tuple[str, ...] = ()) -> str:
    """The text without these secrets, and without whatever could be one."""
    text = _replace(text, secrets)
    for pattern, instead in _REDACTIONS:
        text = pattern.sub(instead, text)
    return text


def remove_secrets(value: T, secrets: tuple[str, ...]) -> T:
    """The same value with none of these secrets in any text: of frozen dataclasses, mappings and tuples.

    What only looks like a secret stays: a log quotes sources, which must be as they were.
    """
    cleaned: T = _cleaned(value, secrets) if secrets else value
    return cleaned


def _mask(text: str) -> tuple[str, tuple[str, ...]]:
    text, secrets = _SURELY.subn(MASK, text)
    text, homes = _HOME.subn(MASK, text)
    found = {"home_path": homes, "secret": secrets}
    return text, tuple(code for code, count in found.items() if count)


def _mask_values(value: Any, found: set[str]) -> Any:
    match value:
        case str():
            text, codes = _mask(value)
            found.update(codes)
            return text
        case list():
            return [_mask_values(item, found) for item in value]
        case dict():
            return {key: _mask_values(item, found) for key, item in value.items()}
    return value


def _json_of(value: Any) -> bytes:
    """As records are written; what those cannot hold stays as it came, for whoever reads it next to refuse."""
    try:
        return codec.dumps(value).encode()
    except ValueError:  # NaN, infinity, half a character
        return json.dumps(value).encode()


def _replace(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text


def _cleaned(value: Any, secrets: tuple[str, ...]) -> Any:
    if isinstance(value, str) and not isinstance(value, enum.Enum):
        return _replace(value, secrets)
    if isinstance(value, Mapping):
        return {name: _cleaned(one, secrets) for name, one in value.items()}
    if isinstance(value, tuple):
        return tuple(_cleaned(one, secrets) for one in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value)]
        return dataclasses.replace(value, **{name: _cleaned(getattr(value, name), secrets) for name in fields})
    return value
