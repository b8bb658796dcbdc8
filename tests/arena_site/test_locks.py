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
