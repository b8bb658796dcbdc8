"""The table of a result's compiled kernels: baseline and candidate in one row, a table for each target."""

from __future__ import annotations

import pytest

from evaluator.records.record import TRANSLATED, IsaReport
from tests.leaderboard.conftest import address, attempted

pytestmark = pytest.mark.usefixtures("archive_folder")


def isa(side: str, target: str = "gfx942", kernel: str = "gelu", configuration: str = "", **numbers) -> IsaReport:
    return IsaReport(side, target, kernel, configuration, numbers.pop("error", None), numbers)


def kernel_rows(page, slug: str = "isa-gfx942") -> list[list[str]]:
    """What a table says of each kernel: name, note, then the numbers shown."""
    rows = page.tables[slug].cells()
    shown = [key for key in rows[0] if key.startswith("candidate_") and key != "candidate_error"]
    return [[row["kernel"].text, row["kernel"].note, *(row[key].text for key in shown)] for row in rows]


def test_baseline_and_candidate_share_a_row_and_differences_are_marked(result, page, client) -> None:
    both = (isa("baseline", vgpr=68, vgpr_spills=0, mfma=4), isa("candidate", vgpr=52, vgpr_spills=3, mfma=4))
    attempted(result, isa=both, isa_checked={"gfx942": "compiled"})
    shown = page(address(result))
    assert kernel_rows(shown) == [["gelu", "", "68 → 52", "0 → 3", "4"]]
    marked = {cell.text: (cell.mark, cell.tone) for cell in shown.tables["isa-gfx942"].cells()[0].values()}
    assert (marked["68 → 52"], marked["0 → 3"], marked["4"]) == (("▾", "ours"), ("▴", "bad"), ("", ""))
    lines = client.get(f"/api/v1{address(result)}isa-gfx942.csv").getvalue().decode().splitlines()
    assert lines[0].startswith("kernel,configuration,baseline_vgpr,baseline_vgpr_spills,baseline_mfma,candidate_vgpr,")
    assert lines[1] == "gelu,,68,0,4,52,3,4,,"


def test_a_kernel_is_paired_with_the_one_most_alike(result, page) -> None:
    attempted(
        result,
        isa=(
            isa("baseline", configuration="M=1", num_warps=4, vgpr=1),
            isa("baseline", configuration="M=1", num_warps=8, vgpr=2),
            isa("baseline", kernel="old", configuration="M=1", vgpr=3),
            isa("baseline", kernel="cast", configuration="M=1", vgpr=4),
            isa("candidate", configuration="M=1", num_warps=8, vgpr=5),
            isa("candidate", configuration="M=1", num_warps=2, vgpr=6),
            isa("candidate", kernel="new", configuration="M=1", vgpr=7),
            isa("candidate", kernel="cast", configuration="M=2", vgpr=8),
        ),
        isa_checked={"gfx942": "compiled"},
    )
    assert [row[:3] for row in kernel_rows(page(address(result)))] == [
        ["gelu", "M=1", "2 → 5"],
        ["gelu", "M=1", "1 → 6"],
        ["new", "M=1; candidate's only", "7"],
        ["cast", "M=1 → M=2", "4 → 8"],
        ["old", "M=1; baseline's only", "3"],
    ]


def test_each_target_has_a_sentence_and_one_that_was_not_checked_has_no_table(result, page, client) -> None:
    attempted(
        result,
        isa=(isa("candidate", "gfx950", vgpr=8), isa("candidate", "gfx950", "big", error="needs 170000 bytes of LDS")),
        isa_checked={"gfx942": "not checked: install llvm-19", "gfx950": "failed"},
    )
    shown = page(address(result))
    assert [section.sentence for section in shown.targets] == [
        "gfx942 (MI300X): not checked: install llvm-19.",
        "gfx950 (MI355X): a kernel does not compile or fit.",
    ]
    body = client.get(address(result)).content.decode()
    assert "not checked: install llvm-19." in body
    assert "isa-gfx942" not in body
    assert kernel_rows(shown, "isa-gfx950")[1][1] == "candidate's only; fails: needs 170000 bytes of LDS"


def test_translated_numbers_say_that_another_compiler_made_them(result, page, client) -> None:
    attempted(
        result,
        isa=(isa("candidate", vgpr=66), isa("candidate", "gfx950", configuration=TRANSLATED, vgpr=86)),
        isa_checked={"gfx942": "compiled", "gfx950": "compiled"},
    )
    shown = page(address(result))
    ours, translated = (section.sentence for section in shown.targets)
    assert "translates" not in ours
    assert translated.startswith("gfx950 (MI355X): every kernel of the candidate compiles and fits. Another compiler ")
    assert kernel_rows(shown, "isa-gfx950") == [["gelu", "candidate's only", "86"]]
    lines = client.get(f"/api/v1{address(result)}isa-gfx950.csv").getvalue().decode().splitlines()
    assert lines[1].startswith("gelu,translated from gfx942,")
