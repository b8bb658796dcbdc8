"""Records of a bundle: home folders and secrets are masked before anything is stored, whatever the encoding."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluator import codec
from evaluator.bundles.archives.packing import slug
from evaluator.bundles.checking import check_files
from evaluator.secrets import MASK
from tests.bundles.test_native import GELU, files
from tests.records import make_record

KEY = "b3c9" + "Zx81" * 9


def test_a_record_of_ours_is_masked_before_it_is_stored() -> None:
    found = files()
    record = make_record(reason="mismatch", message="in /home/alice/x.py", log=f"OPENAI_API_KEY={KEY}\n")
    name, own = f"records/{slug(GELU)}.json", codec.loads(type(record), found[f"records/{slug(GELU)}.json"])
    found[name] = codec.dumps(replace(record, task=own.task, candidate=own.candidate)).encode()
    submission = check_files(found).bundle
    assert submission is not None
    assert submission.own is not None
    entry = submission.own.entries[0]
    assert (entry.record.message, entry.record.log) == (f"in {MASK}/x.py", f"OPENAI_{MASK}\n")
    assert b"alice" not in entry.record_bytes
    assert {(one.code, one.task) for one in submission.findings} == {("home_path", GELU), ("secret", GELU)}


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e999", '"\\ud800"'])
def test_what_json_of_ours_cannot_hold_beside_a_home_is_the_bundles_fault(value: str) -> None:
    found = files()
    name = f"records/{slug(GELU)}.json"
    found[name] = found[name].rstrip()[:-1] + f', "x": {value}, "y": "/home/alice/x"}}'.encode()
    checked = check_files(found)
    assert {problem.place.partition(":")[0] for problem in checked.problems} == {name}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_no_record_hides_from_the_mask_in_another_encoding(encoding: str) -> None:
    found = files()
    name = f"records/{slug(GELU)}.json"
    found[name] = found[name].decode().encode(encoding)
    assert [problem.seen for problem in check_files(found).problems if "not strict JSON" in problem.seen] != []
