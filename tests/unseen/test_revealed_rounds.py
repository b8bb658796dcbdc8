"""tasks/rounds/: the digest published before a round fits the secret revealed after it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from evaluator.errors import TaskError, UsageError
from evaluator.unseen.generate import GENERATOR_VERSION
from evaluator.unseen.rounds import read_round, round_names

SECRET = "a secret of some length"
DIGEST = hashlib.sha256(SECRET.encode()).hexdigest()


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of tasks whose rounds/mine.yaml is good."""
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path))
    file = tmp_path / "rounds" / "mine.yaml"
    file.parent.mkdir()
    file.write_text(f"version: 1\ngenerator: {GENERATOR_VERSION}\ndigest: {DIGEST}\nsecret: {SECRET}\n")
    return file


def test_the_demos_round_ships_revealed() -> None:
    demo = read_round("demo")
    assert demo.digest == hashlib.sha256(demo.secret).hexdigest()
    assert demo.generator == GENERATOR_VERSION
    assert demo.secret.decode() not in repr(demo)
    assert demo.suite == "native-24"


def test_a_round_is_its_secret_and_what_was_published_of_it(written: Path) -> None:
    mine = read_round("mine")
    assert (mine.name, mine.secret, mine.digest) == ("mine", SECRET.encode(), DIGEST)
    assert round_names() == ["mine"]


def test_an_unknown_round_is_refused_with_those_there_are(written: Path) -> None:
    with pytest.raises(UsageError, match="no round is named 'yours'; the rounds are mine"):
        read_round("yours")


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (DIGEST, "f" * 64, f"digest: seen '{'f' * 64}'; expected {DIGEST}, the sha256 of the secret"),
        (SECRET, "short", "secret: seen '5 characters'; expected at least 16"),
        (GENERATOR_VERSION, "other-1", f"generator: seen 'other-1'; expected one of {GENERATOR_VERSION}"),
        ("version: 1", "version: 2", "version: seen 2; expected one of 1"),
        ("secret:", "seed:", "seed: seen 'a secret of some length'; expected no such key"),
        (f"secret: {SECRET}", "secret: 12345678901234567890", "secret: seen 12345678901234567890; expected text"),
        ("version: 1", "version: [", "not YAML"),
        ("version: 1", "version: 1\nsuite: theirs", "suite: seen 'theirs'; expected one of (nothing is allowed here)"),
        (f"digest: {DIGEST}", "", "digest: seen nothing; expected text"),
    ],
)
def test_a_file_that_breaks_the_format_is_refused_with_place_seen_and_expected(
    written: Path, before: str, after: str, problem: str
) -> None:
    written.write_text(written.read_text().replace(before, after))
    with pytest.raises(TaskError) as caught:
        read_round("mine")
    assert problem in str(caught.value)
