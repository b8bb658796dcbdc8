"""The locks that scripts/setup.sh installs match the ranges in pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts import lock

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WITHOUT_EXTRA = ("requirements.txt", "requirements-torch.txt")
FILES = {"site": ("requirements-site.txt",), "develop": ("requirements-dev.txt", "requirements-site.txt")}
RANGES = [(text, WITHOUT_EXTRA) for text in PROJECT["dependencies"]]
RANGES += [(text, FILES[extra]) for extra, texts in PROJECT["optional-dependencies"].items() for text in texts]
LINE = re.compile(
    r"([\w.-]+)==([\w.]+)(?: ; [^\\]+)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)    # via .+\n"
)


def versions(*files: str) -> dict[str, str]:
    blocks = {name: block for file in files for name, block in lock.blocks_of((ROOT / file).read_text()).items()}
    return {name: block.removeprefix(f"{name}==").split()[0] for name, block in blocks.items()}


@pytest.mark.parametrize(("text", "files"), RANGES, ids=lambda value: value if isinstance(value, str) else "")
def test_each_dependency_is_locked_in_a_version_of_its_range(text: str, files: tuple[str, ...]) -> None:
    requirement = Requirement(text)
    version = versions(*files).get(canonicalize_name(requirement.name))
    assert version is not None, f"{text}: not in {' or '.join(files)}; run `make lock`"
    assert requirement.specifier.contains(version), f"{text}: locked in version {version}; run `make lock`"


@pytest.mark.parametrize("file", lock.HEADS)
def test_a_lock_is_nothing_but_exact_versions_with_their_hashes(file: str) -> None:
    """It has no index URL either: hosts configure pip themselves."""
    text = (ROOT / file).read_text()
    assert len(LINE.findall(text)) > 5
    assert [line for line in LINE.sub("", text).splitlines() if not line.startswith("# ")] == []


def test_no_lock_replaces_the_torch_of_a_gpu_host() -> None:
    for_any_host = versions("requirements-site.txt", "requirements-dev.txt")
    assert for_any_host.keys() & {"torch", "triton", "numpy"} == set()
    assert [name for name in versions("requirements.txt") | for_any_host if lock.IS_OF_TORCH.fullmatch(name)] == []
    assert "torch" in versions("requirements-torch.txt")


def test_only_lines_of_packages_are_locked_again() -> None:
    a, b = "a==1 ; python_version < '3.12' \\\n    --hash=sha256:0\n    # via x\n", "b_c==2\n"
    conflict = f"# head\n<<<<<<< here\n{a}=======\na==2\n>>>>>>> there\n{b}"
    assert lock.blocks_of(conflict) == {"a": a + "a==2\n", "b_c": b}


def test_the_cpu_build_of_torch_is_locked_in_the_version_of_the_other_one() -> None:
    version, text = versions("requirements-torch.txt")["torch"], lock.CPU_LOCK.read_text()
    assert re.search(rf"^torch=={re.escape(version)}\+cpu( \\\n    --hash=sha256:[0-9a-f]{{64}})+$", text, re.MULTILINE)


def test_the_hashes_of_cpu_builds_are_those_of_the_index() -> None:
    at = '<a href="/whl/cpu/torch-2.13.0%2B{}.whl#sha256={}">'
    files = ["cpu-cp311-cp311-manylinux_2_28_x86_64", "cpu-cp313-cp313-win_amd64", "cu130-cp311-cp311-linux_x86_64"]
    page = "".join(at.format(file, str(number) * 64) for number, file in enumerate(files))
    assert re.findall("sha256:(.)", lock.cpu_lock("torch==2.13.0", page)) == ["0"]
    written = lock.cpu_lock(
        "torch==2.13.0", page.replace("0" * 64, re.findall("sha256:(.+)", lock.CPU_LOCK.read_text())[0])
    )
    assert written.splitlines()[:3] == lock.CPU_LOCK.read_text().splitlines()[:3]


def test_every_package_is_installed_by_its_hash() -> None:
    """Wherever a script, a container or CI installs one: scripts/setup.sh does for all of them."""
    places = [*(ROOT / "scripts").iterdir(), *(ROOT / "deploy").rglob("*"), ROOT / ".ci" / "run", ROOT / "Makefile"]
    texts = {path: path.read_text() for path in places if path.is_file() and path.suffix != ".pyc"}
    installs = [line for text in texts.values() for line in text.splitlines() if re.search(r"\bpip3? install\b", line)]
    assert len(installs) == 1
    assert "--no-deps --require-hashes" in installs[0]
