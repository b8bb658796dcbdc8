"""Settings from the environment and .env. An odd value is refused by the name of its variable, never guessed.

Each function below notes what it read in `READ`, which deploy/SETTINGS.md is compared with, and what is wrong with it;
`refuse_problems` then tells everything at once. Hosts, URLs and the database: env_places.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
SECRET_CHARACTERS = 32  # fewer can be guessed
SECRET = f"at least {SECRET_CHARACTERS} characters that cannot be guessed"
_LINE = re.compile(r"^(?:export\s+)?([A-Z][A-Z0-9_]*)=(.*)$")


class SettingError(Exception):
    """Variables hold what cannot be meant; the message names each, one a line."""


@dataclass(frozen=True, slots=True)
class Variable:
    """What is taken where nothing is said, and what may be said."""

    default: str
    allowed: str


OURS = "ARENA_"  # names that begin so are nobody else's, and one that nothing reads is a mistake
ELSEWHERE = {  # read by what is no part of the site: the evaluator, its agents, the tests
    *("ARENA_CHAT_KEY", "ARENA_REPEATS"),
    *("ARENA_CHAOS", "ARENA_FAKE_SECONDS", "ARENA_FUZZ_EXAMPLES", "ARENA_SHOTS"),
}
AGENT_SECRETS = (  # that agents of ours are given: `secrets` of each agent.yaml
    *("ANTHROPIC_API_KEY", "ARENA_CHAT_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "CODEX_API_KEY", "CURSOR_API_KEY"),
    "OPENAI_API_KEY",
)
NOTHING: Mapping[str, Sequence[str]] = {}
ALIKE = 0.85  # of 1: names in .env that are so near to one of ours are meant to be it
READ: dict[str, Variable] = {}
_in_file: set[str] = set()
_problems: list[str] = []
T = TypeVar("T")


def load_env_file(path: Path) -> None:
    """Take KEY=VALUE lines as defaults: what the environment says wins. A file that is not there is empty."""
    if not path.is_file():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.match(line.strip())
        if match is None:  # the value is not told: it may be a secret
            seen = line.partition("=")[0]
            _problems.append(f"{path.name}, line {number}: expected NAME=VALUE, seen {seen!r}")
        else:
            _in_file.add(match[1])
            os.environ.setdefault(match[1], _unquoted(match[2].strip()))


def note_unknown(named: Mapping[str, Sequence[str]] = NOTHING) -> None:
    """After all were read: a name that looks like a setting and is none would be ignored in silence.

    `named`: variables that a setting names, which is no setting itself, or whoever is given it has the site's secrets.
    """
    for setting, names in named.items():
        if own := [name for name in names if name in READ]:
            refused(setting, ",".join(own), None)
    known = sorted({*READ, *ELSEWHERE, *(name for names in named.values() for name in names)})
    for name in sorted(({*os.environ} | _in_file) - {*known}):
        is_ours = name.startswith(OURS)
        near = get_close_matches(name, known, 1, 0.0 if is_ours else ALIKE)
        if is_ours or (name in _in_file and near):
            _problems.append(f"{name}: no setting has that name; did you mean {near[0]}?")


def refuse_problems() -> None:
    """
    Raises:
        SettingError: with everything that was odd since the last call.
    """
    found, _problems[:] = _problems[:], []
    if found:
        raise SettingError("\n".join(found))


def env_text(name: str, default: str, *, pattern: str = ".*", allowed: str = "any text") -> str:
    value = value_of(name, default, allowed)
    return value if re.fullmatch(pattern, value) else refused(name, value, default)


def env_choice(name: str, *choices: str) -> str:
    """One of some words, the first where nothing is said."""
    value = value_of(name, choices[0], ", ".join(choices))
    return value if value in choices else refused(name, value, choices[0])


def env_bool(name: str, default: bool) -> bool:
    value = value_of(name, TRUE[3] if default else FALSE[3], ", ".join(TRUE + FALSE)).lower()
    return value in TRUE if value in TRUE + FALSE else refused(name, value, default)


def env_int(name: str, default: int, *, low: int, high: int) -> int:
    value = value_of(name, str(default), f"a whole number from {low} to {high}")
    is_number = re.fullmatch(r"-?[0-9]{1,18}", value) is not None
    return int(value) if is_number and low <= int(value) <= high else refused(name, value, default)


def env_amount(name: str) -> float | None:
    """A sum of money; None where nothing is said."""
    value = value_of(name, "", "US dollars, as 12 or 12.50")
    if not value:
        return None
    return float(value) if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,2})?", value) else refused(name, value, None)


def env_names(name: str, default: tuple[str, ...]) -> list[str]:
    """Of variables that are no settings, which `note_unknown` sees to."""
    text = value_of(name, ",".join(default), "names of variables parted by commas, none a setting")
    names = [one.strip() for one in text.split(",")]
    is_fine = all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", one) for one in names)
    return names if is_fine else refused(name, text, list(default))


def env_folders(name: str) -> list[Path]:
    """None where nothing is said."""
    text = value_of(name, "", "absolute paths parted by commas, none of them /")
    folders = [Path(one.strip()) for one in text.split(",")] if text else []
    is_fine = all(folder.is_absolute() and len(folder.parts) > 1 and ".." not in folder.parts for folder in folders)
    return folders if is_fine else refused(name, text, [])


def env_path(name: str, default: Path) -> Path:
    path = Path(value_of(name, str(default), "an absolute path")).expanduser()
    return path if path.is_absolute() else refused(name, str(path), default)


def env_secret(name: str, *, needed: bool = True) -> str:
    """A secret has no default; its value is never part of a message."""
    value = value_of(name, "", SECRET)
    if not value and needed:
        _problems.append(f"{name}: missing; expected {SECRET}. `make up` writes one to .env")
    if value and (len(value) < SECRET_CHARACTERS or len(set(value)) < 8):
        _problems.append(f"{name}: expected {SECRET}")
    return value


def value_of(name: str, default: str, allowed: str) -> str:
    """What is said, else the default; it stands in `READ` from here on."""
    READ[name] = Variable(default, allowed)
    return os.environ.get(name, "").strip() or default


def refused(name: str, seen: str, instead: T) -> T:
    """Note the problem; with the default in the value's place the others can be read, too."""
    _problems.append(f"{name}: seen {seen!r}; expected {READ[name].allowed}")
    return instead


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'" else value
