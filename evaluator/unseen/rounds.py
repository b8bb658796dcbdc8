"""Reads revealed rounds: tasks/rounds/NAME.yaml has the secret, from which anyone can generate the cases."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.errors import UsageError
from evaluator.tasks.fields import Fields, Problems
from evaluator.tasks.spec import tasks_folder
from evaluator.tasks.suites import suite_names
from evaluator.unseen.generate import GENERATOR_VERSION

LEAST_SECRET = 16  # characters; a shorter one could be found from its digest by trying


@dataclass(frozen=True, slots=True)
class RoundFile:
    """A revealed round. Its `digest`, the sha256 of the secret in hex, was published before the round began."""

    name: str
    secret: bytes = field(repr=False)
    digest: str
    generator: str
    suite: str = ""  # that it was opened for; empty: the one with the most tasks


def round_names() -> list[str]:
    return sorted(path.stem for path in _folder().glob("*.yaml"))


def read_round(name: str) -> RoundFile:
    """Read one revealed round.

    Raises:
        UsageError: there is no such round.
        TaskError: the file breaks the format, digest and secret do not fit, or another generator made its cases.
    """
    if name not in round_names():
        raise UsageError(f"no round is named {name!r}; the rounds are {', '.join(round_names()) or 'none'}")
    problems = Problems(f"rounds/{name}.yaml")
    found = _round(Fields.read((_folder() / f"{name}.yaml").read_bytes(), problems), name)
    problems.raise_if_any()
    return found


def secret_digest(secret: bytes) -> str:
    """The sha256 of a secret in hex, which is published before its round."""
    return hashlib.sha256(secret).hexdigest()


def _round(top: Fields, name: str) -> RoundFile:
    top.only(("version", "generator", "suite", "digest", "secret"))
    top.choice("version", (1,))
    generator = str(top.choice("generator", (GENERATOR_VERSION,)))
    suite = str(top.choice("suite", tuple(suite_names()))) if "suite" in top else ""
    text, digest = top.string("secret", None), top.string("digest", None)
    secret = text.encode()
    if len(text) < LEAST_SECRET:
        top.problem("secret", f"{len(text)} characters", f"at least {LEAST_SECRET}")
    if digest != secret_digest(secret):
        top.problem("digest", digest, f"{secret_digest(secret)}, the sha256 of the secret")
    return RoundFile(name, secret, digest, generator, suite)


def _folder() -> Path:
    return tasks_folder() / "rounds"
