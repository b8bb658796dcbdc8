"""Launches compiled for AMD targets: reports and errors; crashes of LLVM are survived, and nothing is left behind."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from triton import knobs

from evaluator.inside import triton_cpu
from evaluator.inside.isa import compiler, resources
from evaluator.inside.isa.targets import GFX942, GFX950
from tests.evaluator import kernels_launch as kernels

LAUNCHES = triton_cpu.install()


@pytest.fixture(autouse=True)
def _only_compile(monkeypatch):
    monkeypatch.setattr(LAUNCHES, "compile", True)
    monkeypatch.setattr(LAUNCHES, "execute", False)


def product(size, dtype=torch.float16, **options):
    a = torch.zeros(size, 4 * size, dtype=dtype)
    kernels.product[(1,)](a, a, a, 4 * size, M=size, **options)
    return reports("gfx942")[-1]


def reports(target):
    return [report for report in LAUNCHES.reports() if report["target"] == target]


def test_a_report_has_the_resources_of_a_matrix_kernel():
    report = product(64)
    assert (report["kernel"], report["configuration"], report["error"]) == ("product", "fp16, M=64, K%16=0", None)
    assert report["mfma"] >= 4
    assert report["lds_bytes"] == 2 * 64 * 64 * 2  # both operands in halves
    assert min(report[name] for name in ("vgpr", "sgpr", "code_bytes", "occupancy")) > 0
    assert (report["vgpr_spills"], report["sgpr_spills"], report["scratch_bytes"]) == (0, 0, 0)
    assert (report["num_warps"], report["num_stages"]) == (4, 2)
    assert 0 < report["seconds"] < compiler.LIMIT_S


def test_every_launch_is_compiled_for_both_targets():
    product(64, waves_per_eu=2)
    ours, other = LAUNCHES.reports()[-2:]
    assert (ours["target"], other["target"]) == ("gfx942", "gfx950")
    assert ours["configuration"] == other["configuration"] == "fp16, M=64, K%16=0, waves_per_eu=2"
    assert other["mfma"] > 0
    assert other["error"] is None


def test_a_specialisation_is_compiled_once():
    product(32)
    count = len(reports("gfx942"))
    product(32)
    assert len(reports("gfx942")) == count
    for changed in ({"dtype": torch.bfloat16}, {"num_warps": 2}, {"dtype": torch.float32}):
        product(32, **changed)
    assert len(reports("gfx942")) == count + 3


def test_alignment_and_an_argument_of_one_make_specialisations_of_their_own():
    x = torch.zeros(1024)
    count = len(reports("gfx942"))
    for tensor, size in ((x, 512), (x, 512), (x[1:], 512), (x, 511), (x, 1)):
        kernels.copy[(1,)](tensor, x, size, BLOCK=16)
    assert len(reports("gfx942")) == count + 4


def test_a_configuration_names_what_differs_between_specialisations():
    x = torch.zeros(1024)
    for tensor, size in ((x, 600), (x[1:], 592), (x, 1)):
        kernels.copy[(1,)](tensor, x, size, BLOCK=32)
    found = [report["configuration"] for report in reports("gfx942")[-3:]]
    names = list(kernels.copy.arg_names)
    assert found == [
        "fp32, BLOCK=32",
        f"fp32, BLOCK=32, {names[0]}%16≠0, {names[2]}%16=0",
        f"fp32, {names[2]}=1, BLOCK=32",
    ]


def test_an_unknown_name_fails_with_its_line():
    with pytest.raises(triton_cpu.CompileFailed, match="undefined_thing is not defined") as caught:
        kernels.with_unknown_name[(1,)](torch.zeros(1))
    assert (caught.value.kernel, caught.value.target) == ("with_unknown_name", "gfx942")
    assert "tl.store(x_ptr, undefined_thing)" in caught.value.text


def test_a_failure_is_remembered():
    for _ in range(2):
        with pytest.raises(triton_cpu.CompileFailed, match="N must be one"):
            kernels.with_static_assert[(1,)](torch.zeros(1), N=2)
    failed = [report for report in reports("gfx942") if report["kernel"] == "with_static_assert"]
    assert [("N must be one" in report["error"], report["vgpr"]) for report in failed] == [(True, None)]


def test_an_unknown_option_fails():
    with pytest.raises(triton_cpu.CompileFailed, match="Keyword argument cluster_dims was specified but unrecognised"):
        product(16, cluster_dims=2)


def test_too_much_lds_fails_with_figures_in_the_report():
    with pytest.raises(triton_cpu.CompileFailed, match="bytes of LDS, a workgroup has 65536"):
        product(64, torch.float32, num_stages=4)
    assert reports("gfx942")[-1]["lds_bytes"] > 65536


def test_more_than_64_kib_of_lds_fit_the_newer_target_alone():
    with pytest.raises(triton_cpu.CompileFailed, match=r"gfx942: product: needs .* bytes of LDS"):
        product(128, torch.float32)
    ours, other = LAUNCHES.reports()[-2:]
    assert (ours["target"], ours["lds_bytes"] > GFX942.lds_bytes, ours["error"] is None) == ("gfx942", True, False)
    assert (other["target"], other["error"]) == ("gfx950", None)
    assert GFX942.lds_bytes < other["lds_bytes"] <= GFX950.lds_bytes


def test_the_lds_limit_is_the_last_byte():
    figures = dict.fromkeys(resources.Resources.__slots__, 0) | {"num_warps": 4}
    for target, fits, too_large in ((GFX942, 65_536, 65_537), (GFX950, 66_560, 163_841)):
        assert resources.over_limit(resources.Resources(**figures | {"lds_bytes": fits}), target) is None
        assert resources.over_limit(resources.Resources(**figures | {"lds_bytes": too_large}), target)


def test_too_many_threads_fail():
    with pytest.raises(triton_cpu.CompileFailed, match=r"2048 threads|threads"):
        product(64, num_warps=32)


ABORTED = """
import torch
from evaluator.inside import triton_cpu
triton_cpu.install().execute = False
from tests.evaluator.kernels_launch import with_foreign_assembly
try:
    with_foreign_assembly[(1,)](torch.zeros(64), BLOCK=64)
except triton_cpu.CompileFailed as error:
    print(error)
"""


def test_an_abort_of_llvm_is_a_failed_compilation():
    """In a process of its own, as a worker is: LLVM ends with exit(), which waits for threads of other tests."""
    done = subprocess.run([sys.executable, "-c", ABORTED], capture_output=True, text=True, check=True)
    assert "the compiler ended with" in done.stdout


def test_a_compiler_that_does_not_end_is_killed():
    before = children()
    compilation = compile_alone(lambda: time.sleep(600), limit_s=0.3)
    assert compilation.error == "not compiled after 0.3 s"
    assert children() <= before


def test_what_the_compiler_prints_is_part_of_the_error(capfd):
    def fail():
        print("a remark")  # noqa: T201
        os.write(2, b"a warning\n")
        raise ValueError("no")

    error = compile_alone(fail).error
    assert error.startswith("ValueError: no")
    assert "a remark" in error
    assert "a warning" in error
    assert capfd.readouterr() == ("", "")


def compile_alone(compiled, limit_s=60.0):
    launch = SimpleNamespace(
        identity=(0, ""), function=None, kernel="kernel", configuration="", compiled_for=lambda target: compiled()
    )
    [compilation] = compiler.Compilations([GFX942]).of(launch, limit_s)
    return compilation


def test_no_child_and_no_file_is_left(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compiler.tempfile, "tempdir", None)
    before = children()  # other tests' fixtures may keep some
    product(16, num_warps=1)
    assert list(tmp_path.iterdir()) == []
    assert children() <= before


def children() -> set[int]:
    """Return this process's children, zombies too: the parent is the second field after the name."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                found.add(int(stat.parent.name))
    return found


def test_a_cache_of_the_candidates_is_neither_read_nor_filled(tmp_path):
    with knobs.cache.scope():
        knobs.cache.dir = str(tmp_path)
        assert product(16, num_warps=2)["error"] is None
    assert list(tmp_path.iterdir()) == []


def test_preheating_leaves_settings_and_folders_as_they_were(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    triton_cpu.preheat()
    assert knobs.cache.dir == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_resources_are_read_from_assembly_text():
    assembly = """
        v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], 0
        v_add_f32 v0, v0, v1
    ; codeLenInByte = 420
    ; Occupancy: 6
    .agpr_count:     4
    .private_segment_fixed_size: 16
    .sgpr_count:     20
    .sgpr_spill_count: 1
    .vgpr_count:     32
    .vgpr_spill_count: 2
    """
    metadata = SimpleNamespace(shared=512, num_warps=8, num_stages=2)
    assert resources.read_resources(assembly, metadata, GFX942) == resources.Resources(
        vgpr=32,
        agpr=4,
        sgpr=20,
        lds_bytes=512,
        scratch_bytes=16,
        vgpr_spills=2,
        sgpr_spills=1,
        occupancy=6,
        mfma=1,
        code_bytes=420,
        num_warps=8,
        num_stages=2,
    )


@pytest.mark.parametrize(
    ("lds_bytes", "num_warps", "waves"), [(0, 4, 1024), (65_536, 4, 1), (65_536, 1, 1), (32_768, 4, 2), (8_192, 8, 16)]
)
def test_lds_limits_the_waves_of_a_simd(lds_bytes, num_warps, waves):
    assert resources.waves_by_lds(lds_bytes, num_warps, GFX942) == waves
