"""Finds secrets in texts by one set of patterns, and masks or redacts them.

Masking is for texts from outside that become public, in bundles and agents' sessions: what is certainly a secret, and
paths of home folders, become [masked]; everything else stays. Redaction is for this host's own error messages: its
known secrets, and whatever could be one, become [secret], even at the price of a false positive.

All patterns run in linear time, since the text may be hostile: each begins with a fixed word, and repeats are bounded.
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
LOG_CHARACTERS = 64_000  # of a log that are masked: far more than are kept, since half a secret is not recognised
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
# Names whose values are secrets. "token" is separate, since numbers after it count tokens. The patterns that use them
# first test a single letter, which takes a third of the time.
_NAME = (
    r"(?:api|access|account|private)[_-]?key|passw(?:or)?d|passphrase|secret|credential|sessionid"
    r"|authorization|cookie|x-auth"
)

# Masking: a name's value has at least eight characters and a letter, and is not a call.
_NAMED = rf"(?=[acpstxACPSTX])(?i:{_NAME}|token)[\w-]{{0,40}}\\?[\"']?\s{{0,3}}[:=]\s{{0,3}}"
_CERTAIN = re.compile(
    rf"{_TOKEN}|{_SCHEME}|{_OPTION}"
    rf"|{_NAMED}\\?[\"']?(?![\w.]{{0,80}}\()(?=[^\s\"']{{0,80}}[A-Za-z])[^\s\"'(),;{{}}\[\]\\]{{8,}}"
)
# In a source, only a quoted text with a digit is a value.
_IN_SOURCE = re.compile(rf"{_TOKEN}|{_NAMED}[\"'](?=[^\s\"']{{0,80}}[0-9])[^\s\"'(){{}}\[\]]{{8,200}}[\"']")
_FOLDER = r"[^/\\\s:'\"<>|,;]{1,64}"
_SLASH = r"(?:/|\\{1,4}|%2[Ff]|%5[Cc])"  # plain, escaped once or twice, or percent-encoded
_HOME = re.compile(
    rf"{_SLASH}(?i:homes?\d{{0,2}}|users){_SLASH}(?!\[masked\]){_FOLDER}"
    rf"|(?<![\w/\\.~])(?:~(?=[a-z_]){_FOLDER}(?=/)|home/{_FOLDER}(?=/))|{_SLASH}root(?![\w.-])"
)
# Every masked text contains one of these, in lower case; most of a record contains none and is skipped.
_HINTS = (
    *(b"home", b"users", b"root", b"~", b"sk-", b"sk_", b"rk-", b"rk_", b"ghp_", b"gho_", b"ghs_", b"ghu_", b"ghr_"),
    *(b"github_pat_", b"hf_", b"glpat-", b"npm_", b"pypi-", b"akia", b"asia", b"aiza", b"xox", b"arena_", b"eyj"),
    *(b"private key", b"://", b"key", b"passw", b"passp", b"secret", b"token", b"credential", b"sessionid"),
    *(b"authorization", b"cookie", b"x-auth", b"bearer", b"basic", b"\\u"),
)

# Redaction: whole headers, any value of a name, and words that may also occur in harmless text.
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
_COMPILER_ERROR = re.compile(r"(?m)^[^\n]{0,400}\berror: ")
_SECRET_VARIABLE = re.compile(r"SECRET|PASSWORD|TOKEN|KEY|CREDENTIAL")


def mask_text(text: str) -> str:
    """The whole text, made plain, with secrets and home folders masked."""
    return _mask(plain_text(text))[0]


def mask_message(text: str) -> tuple[str, tuple[str, ...]]:
    """The text made plain, masked and cut, and codes of what was masked, which are keys of the bundles' FINDINGS."""
    if len(text) > LOG_CHARACTERS:
        text = text[-LOG_CHARACTERS:].partition("\n")[2] or text[-LOG_CHARACTERS:]
    text, codes = _mask(plain_text(text))
    return _evidence(text), codes


def _evidence(text: str) -> str:
    """A short log as it is; of a long one, the part from a compiler's first error on, and at any rate the end."""
    if len(text) <= MESSAGE_CHARACTERS:
        return text
    error = _COMPILER_ERROR.search(text)
    if error is None:
        return f"…{text[1 - MESSAGE_CHARACTERS :]}"
    found = text[error.start() :]
    if len(found) < MESSAGE_CHARACTERS:
        return f"…{found}"
    half = MESSAGE_CHARACTERS // 2 - 2
    return f"{found[:half]}\n…\n{found[-half:]}"


def mask_json(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """JSON with every text in it masked, and the codes; the same bytes where nothing is masked, or it is not JSON."""
    lowered = data.lower()
    if not any(hint in lowered for hint in _HINTS):
        return data, ()
    try:
        value = json.loads(data.decode("utf-8-sig"), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError):  # the caller's own parser reports what is wrong
        return data, ()
    found = set[str]()
    clean = _mask_values(value, found)
    return (_json_of(clean) if found else data), tuple(sorted(found))


def codes_in_source(data: bytes) -> tuple[str, ...]:
    """The codes of what would be masked in a source; the source stays unchanged, since verification needs it whole."""
    text = data.decode("utf-8", "replace")
    found = {"home_in_source": _HOME.search(text), "secret_in_source": _IN_SOURCE.search(text)}
    return tuple(code for code, match in found.items() if match)


def known_secrets(environment: Mapping[str, str], *values: str) -> tuple[str, ...]:
    """These values, and those of environment variables whose names mark them as secrets, longest first.

    Surrounding whitespace, which env files may add, is removed as it is where they are used.
    """
    named = (value for name, value in environment.items() if _SECRET_VARIABLE.search(name.upper()))
    found = {one.strip() for one in (*named, *values)}
    return tuple(sorted((one for one in found if len(one) >= SHORTEST), key=len, reverse=True))


def redact(text: str, secrets: tuple[str, ...] = ()) -> str:
    """The text with these secrets, and anything that could be one, replaced by [secret]."""
    text = _replace(text, secrets)
    for pattern, instead in _REDACTIONS:
        text = pattern.sub(instead, text)
    return text


def remove_secrets(value: T, secrets: tuple[str, ...]) -> T:
    """The value with these secrets replaced in every text of its dataclasses, mappings and tuples.

    Anything that only looks like a secret stays, since logs quote sources, which must not change.
    """
    cleaned: T = _cleaned(value, secrets) if secrets else value
    return cleaned


def _mask(text: str) -> tuple[str, tuple[str, ...]]:
    text, secrets = _CERTAIN.subn(MASK, text)
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
    """The value in the form of records; one that records cannot hold is written as it is, for the reader to refuse."""
    try:
        return codec.dumps(value).encode()
    except ValueError:  # NaN, infinity, half of a surrogate pair
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
