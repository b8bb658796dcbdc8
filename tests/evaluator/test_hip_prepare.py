"""Preparing a host: missing packages are named, and the work is done once."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.hip import prepare as module
from evaluator.hip.host import HipUnavailable, find_host
from evaluator.hip.prepare import HipToolchain, prepare
from evaluator.state import state_folder

PROGRAMS = ("clang++-19", "ld.lld-19", "llvm-as-19", "llvm-cxxfilt-19", "llvm-objdump-19")
DEBIAN_12 = "lib/x86_64-linux-gnu/amdgcn/bitcode"
DEBIAN_13 = "lib/llvm-17/lib/clang/17/amdgcn/bitcode"


def fake_usr(folder: Path, programs: tuple[str, ...] = PROGRAMS, bitcode: str | None = DEBIAN_12) -> Path:
    """Make a /usr with only these programs, HIP's headers, and device libraries at the given path."""
    files = [*(f"bin/{program}" for program in programs), "include/hip/hip_fp16.h"]
    for name in [*files, *([f"{bitcode}/ocml.bc"] if bitcode else [])]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("#!/bin/sh\necho clang version 19\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("programs", "packages"),
    [((), ["clang-19", "lld-19"]), (("clang++-19",), ["lld-19"]), (("ld.lld-19",), ["clang-19"])],
)
def test_missing_packages_are_named_on_a_host_without_a_compiler(
    programs: tuple[str, ...], packages: list[str], tmp_path: Path
) -> None:
    with pytest.raises(HipUnavailable) as error:
        find_host(fake_usr(tmp_path, programs))
    assert error.value.packages == packages
    assert str(error.value).endswith(" ".join(packages))


@pytest.mark.parametrize("place", [DEBIAN_12, DEBIAN_13])
def test_device_libraries_are_found_where_debian_12_and_13_have_them(place: str, tmp_path: Path) -> None:
    host = find_host(fake_usr(tmp_path, bitcode=place))
    assert host.bitcode == tmp_path / place
    assert host.gfx942_lacks == ""


def test_the_gfx942_gate_is_optional_and_names_what_it_lacks(tmp_path: Path) -> None:
    host = find_host(fake_usr(tmp_path, PROGRAMS[:3], bitcode=None))
    assert host.gfx942_lacks.startswith("install llvm-19 rocm-device-libs")


def test_a_prepared_host_is_not_prepared_again(hip_toolchain: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_build", None)
    toolchain = prepare(state_folder())
    assert json.loads(json.dumps(toolchain.as_dict())) == hip_toolchain
    assert all(path.exists() for path in (*toolchain.readable, toolchain.allocator, *toolchain.objects))


def test_two_at_once_prepare_once_and_an_interrupted_preparation_starts_again(
    hip_toolchain: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[Path] = []

    def slowly(host: object, toolchain: HipToolchain, root: Path, device_only: bool) -> None:
        time.sleep(0.2)
        root.mkdir(exist_ok=True)
        built.append(root)

    monkeypatch.setattr(module, "_build", slowly)
    (tmp_path / "hip" / hip_toolchain["key"]).mkdir(parents=True)  # left behind: no `ready` in it
    threads = [threading.Thread(target=prepare, args=(tmp_path,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == [tmp_path / "hip" / hip_toolchain["key"]]


def test_another_header_makes_another_toolchain(
    hip_toolchain: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_build", lambda host, toolchain, root, device_only: root.mkdir())
    monkeypatch.setattr(module, "_digest", lambda path: "changed")
    assert prepare(tmp_path).key != hip_toolchain["key"]


def test_another_installation_of_the_same_torch_makes_another_toolchain(tmp_path: Path) -> None:
    """A precompiled header knows the files that it was made of: with others every name would be defined twice."""
    host, keys = find_host(), set()
    for name in ("one", "two"):
        include = tmp_path / name
        include.mkdir()
        again = tmp_path / "include"
        include.rename(again)
        keys.add(module._key(replace(host, torch_include=again)))
        again.rename(include)
    assert len(keys) == 2
