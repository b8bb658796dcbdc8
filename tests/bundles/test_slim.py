"""The bundles in the repository are made small without changing what they say."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from evaluator.records.record import Record
from evaluator.state import REPOSITORY
from scripts.slim_bundle import main
from tests.bundles.made import read_bundle

WHOLE = REPOSITORY / "tasks" / "bundles" / "h200-sxm-smoke-block_tuner.zip"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    path = tmp_path / "slim.zip"
    assert main([str(WHOLE), str(path)]) == 0
    return path


def test_a_slim_bundle_is_in_order_and_small(copy: Path) -> None:
    bundle = read_bundle(copy)
    assert bundle.problems == ()
    assert copy.stat().st_size <= 8000 * len(bundle.tasks)


def test_it_says_the_same_of_every_case_and_that_it_is_slim(copy: Path) -> None:
    for whole, slim in zip(read_bundle(WHOLE).entries, read_bundle(copy).entries, strict=True):
        assert _verdict(slim.record) == _verdict(whole.record)
        for old, new in zip(whole.record.cases, slim.record.cases, strict=True):
            assert (new.id, new.correct, len(new.sessions)) == (old.id, old.correct, len(old.sessions))
            if old.ratio is not None and new.ratio is not None:
                assert new.ratio.log_ratio == pytest.approx(old.ratio.log_ratio, rel=1e-6)
        is_timed = any(case.sessions for case in whole.record.cases)
        assert [one.code for one in slim.record.findings if one.code == "slim"] == ["slim"] * is_timed


def test_what_is_slim_stays_as_it_is(copy: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    assert main([str(copy), str(again)]) == 0
    assert _contents(again) == _contents(copy)


def test_without_both_files_the_usage_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(WHOLE)]) == 2
    assert "usage: scripts/slim_bundle.py" in capsys.readouterr().err


def _verdict(record: Record) -> tuple[object, ...]:
    return record.status, record.flags, record.protocol, record.candidate, record.task, record.host


def _contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}
