"""Folders, zips and tars have the same members, and hostile ones are refused at once."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
import tarfile
import time
import warnings
import zipfile
from pathlib import Path

import pytest

from evaluator.bundles.archives.archive import digest_of, read_members
from evaluator.bundles.archives.limits import ReadLimits
from evaluator.bundles.archives.packing import zip_folder
from evaluator.bundles.checking import check
from evaluator.bundles.problems import BundleError
from tests.bundles.hostile import HOSTILE
from tests.conftest import lacking

REFUSED_WITHIN_S = 30.0  # of processor time: the slowest takes 1.5 s, and `python -m tests.bundles.hostile` tells each

LITTLE_BYTES = 12 << 20  # contents beyond 8 MiB are on the disk; two of these took more than 20 MiB and 40 MiB


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_quickly_and_in_words(name: str, tmp_path: Path) -> None:
    make, text = HOSTILE[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile: a name that stands twice
        path = make(tmp_path)
    begun = time.process_time()
    checked = check(path)
    assert time.process_time() - begun < REFUSED_WITHIN_S
    assert checked.bundle is None
    assert any(_fits(str(problem), text) for problem in checked.problems), checked.problems


@pytest.mark.parametrize(
    "name",
    [
        "zip: more members than it says",
        "tar: headers without a member",
        "tar: names that grow",
        "tar: folders that are no members",
        "tar.gz: bomb",
        "tar.zst: bomb",
    ],
)
def test_a_hostile_archive_is_refused_in_little_memory(name: str, tmp_path: Path) -> None:
    """In a process of its own: names join Python's table of strings, which other tests' may be about to double."""
    path = HOSTILE[name][0](tmp_path)
    done = subprocess.run([sys.executable, "-c", PEAK, path], capture_output=True, text=True, check=True)
    assert int(done.stdout) < LITTLE_BYTES


PEAK = """
import sys, tracemalloc
from pathlib import Path
from evaluator.bundles.archives.archive import BundleError, read_members
tracemalloc.start()
try:
    read_members(Path(sys.argv[1]))
except BundleError:
    print(tracemalloc.get_traced_memory()[1])
"""


def _fits(problem: str, text: str) -> bool:
    return any(part in problem for part in text.split("|"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "run.json": b"{}",
        "records/a.json": b"[1]" * 70_000,
        f"candidates/{'long' * 20}/{'deep' * 12}/x.hip": b"// x\n",
        "empty": b"",
    }
    for name, data in files.items():
        (tmp_path / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "run" / name).write_bytes(data)
    return tmp_path / "run"


@pytest.mark.parametrize("form", ["zip", "stored", "gnu", "pax", "ustar", "gz", "two gz", "zst", "dot"])
def test_every_form_of_a_folder_has_the_same_members(folder: Path, form: str) -> None:
    assert read_members(_packed(folder, form)) == read_members(folder)


def _packed(folder: Path, form: str) -> Path:
    if form == "zip":
        return zip_folder(folder)
    target = folder.with_suffix(f".{form}")
    if form == "stored":
        with zipfile.ZipFile(target, "w") as file:
            for path in sorted(folder.rglob("*")):
                file.write(path, path.relative_to(folder))
        return target
    formats = {"gnu": tarfile.GNU_FORMAT, "ustar": tarfile.USTAR_FORMAT}
    with tarfile.open(target, "w", format=formats.get(form, tarfile.PAX_FORMAT)) as tar:
        for path in [folder] if form == "dot" else sorted(folder.iterdir()):
            tar.add(path, "." if form == "dot" else path.name)
    if form in ("gz", "two gz", "zst"):
        target.write_bytes(_compressed(target.read_bytes(), form))
    return target


def _compressed(data: bytes, form: str) -> bytes:
    if form == "zst":
        try:
            import zstandard
        except ImportError:
            lacking("zstandard is not installed")
        return zstandard.compress(data)
    half = len(data) // 2 if form == "two gz" else len(data)
    return gzip.compress(data[:half]) + (gzip.compress(data[half:]) if half < len(data) else b"")


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (ReadLimits(member_bytes=1 << 16), "at most 0 MiB per file"),
        (ReadLimits(total_bytes=1 << 17), "in all"),
        (ReadLimits(members=3), "at most 3 files"),
        (ReadLimits(ratio=2, ratio_from_bytes=1), "times its size"),
        (ReadLimits(archive_bytes=10), "at most 0 MiB"),
        (ReadLimits(depth=2), "4 folders deep"),
        (ReadLimits(seconds=-1.0), "at most -1 s"),
    ],
)
def test_each_bound_holds_for_zip_and_tar(folder: Path, limits: ReadLimits, text: str) -> None:
    for path in (zip_folder(folder), _packed(folder, "gz")):
        with pytest.raises(BundleError) as refused:
            read_members(path, limits)
        assert text in str(refused.value)


@pytest.mark.parametrize(("more", "text"), [(50, "50 more problems"), (1, "1 more problem;")])
def test_every_bad_name_is_reported_at_once(tmp_path: Path, more: int, text: str) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as file:
        for index in range(200 + more):
            file.writestr(f"../{index}", b"")
    with pytest.raises(BundleError) as refused:
        read_members(tmp_path / "x.zip")
    assert len(refused.value.problems) == 201
    assert text in str(refused.value.problems[-1])


def test_the_digest_is_of_names_and_contents(folder: Path) -> None:
    before = digest_of(read_members(folder))
    assert digest_of(read_members(zip_folder(folder))) == before
    shutil.move(folder / "empty", folder / "other")
    assert digest_of(read_members(folder)) != before


def test_a_single_file_keeps_the_name_it_was_sent_under(tmp_path: Path) -> None:
    (tmp_path / "bundle").write_bytes(b"{}")
    assert read_members(tmp_path / "bundle", name="eval_results.json") == {"eval_results.json": b"{}"}
