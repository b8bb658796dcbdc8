"""What the documents name exists: links and their anchors, commands with their options, files, functions of a walk."""

from __future__ import annotations

import argparse
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands

from evaluator import VERSION
from evaluator.cli.arguments import parser

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("deploy/*.md"), ROOT / "tasks/README.md"])
PLACEHOLDER = re.compile(r"\b(NAME|DIR|TASK)\b")
MOST_BYTES = 15_000  # of ARCHITECTURE.md: what a newcomer reads in one sitting
every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def code(text: str) -> list[str]:
    """What stands in letters of code: fenced blocks, and spans between backticks."""
    return [
        *re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL),
        *re.findall(r"`([^`\n]+)`", without_code(text)),
    ]


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", without_code(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@cache
def files() -> frozenset[str]:
    """The paths of all files of the project, with a slash before each; generated ones are left out."""
    return frozenset(
        f"/{path.relative_to(ROOT)}"
        for top in ROOT.iterdir()
        if top.is_dir() and not top.name.startswith(".")
        for path in top.rglob("*")
        if "__pycache__" not in path.parts
    )


@cache
def options() -> dict[str, set[str]]:
    """The options of each command of the evaluator, those of its actions included."""
    return {name: _options(one) for name, one in _commands(parser()).items()}


def _commands(of: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    [found] = [one for one in of._actions if isinstance(one, argparse._SubParsersAction)] or [None]
    return found.choices if found else {}


def _options(of: argparse.ArgumentParser) -> set[str]:
    own = {string for action in of._actions for string in action.option_strings}
    return own.union(*(_options(one) for one in _commands(of).values()))


def test_the_documents_are_found() -> None:
    assert {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"} <= {path.name for path in DOCUMENTS}
    assert len(DOCUMENTS) > 10


@every_document
def test_a_link_leads_to_a_file_that_exists_and_to_a_heading_of_it(path: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(path.read_text())):
        if re.match(r"https?:", link):
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text()), link


@every_document
def test_a_command_of_the_evaluator_exists_with_its_options(path: Path) -> None:
    lines = [line for text in code(path.read_text()) for line in text.splitlines()]
    for line in lines:
        for name, rest in re.findall(r"python -m evaluator ([a-z-]+)(.*)", line):
            assert name in options(), line
            assert set(re.findall(r"(?<=\s)--[a-z-]+", rest)) <= options()[name], line


@every_document
def test_a_command_of_the_site_or_of_make_exists(path: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for text in code(path.read_text()):
        assert set(re.findall(r"manage\.py ([a-z]\w*)", text)) <= set(get_commands())
        assert set(re.findall(r"^(?:[A-Z]+=\S+ )?make ([a-z]+)", text, re.MULTILINE)) <= targets


@every_document
def test_a_file_or_a_function_that_is_named_exists(path: Path) -> None:
    """`judge/side.Side.runner`: a file that ends in judge/side.py, which defines both names."""
    if path.parent.name == "deploy":
        pytest.skip("its commands name paths of other machines; test_deploy.py looks at them")
    for text in code(path.read_text()):
        for module, rest in re.findall(r"(?<![\w/.<>…$-])((?:[a-z]\w*/)+[\w-]+)((?:\.\w+)*)", text):
            if not PLACEHOLDER.search(module):
                assert exists(module, rest), module + rest


def exists(module: str, rest: str) -> bool:
    """Whether this is a folder, a file with its suffix, or a module that defines all of these names."""
    if any(one.endswith(f"/{module}{rest}") for one in files()):
        return True
    texts = [(ROOT / one[1:]).read_text() for one in files() if one.endswith(f"/{module}.py")]
    defined = [rf"\b(?:def|class) {name}\b|^\s*{name}\b\s*[:=]" for name in rest.split(".")[1:]]
    return any(all(re.search(name, text, re.MULTILINE) for name in defined) for text in texts)


def test_the_architecture_is_short() -> None:
    assert (ROOT / "ARCHITECTURE.md").stat().st_size <= MOST_BYTES


def test_the_citation_is_of_this_version_under_the_projects_licence() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert citation["cff-version"] == "1.2.0"
    assert (citation["version"], citation["license"]) == (VERSION, project["license"])
    assert (ROOT / "LICENSE").read_text().lstrip().startswith("Apache License")
    assert [one["url"][-10:] for one in citation["references"]] == ["2605.16819", "2605.04956"]


def test_the_image_gets_the_changelog_that_the_site_reads() -> None:
    ignored = (ROOT / "deploy/Dockerfile.dockerignore").read_text().splitlines()
    assert not [pattern for pattern in ignored if Path("CHANGELOG.md").match(pattern.removeprefix("**/"))]
    assert "COPY . ." in (ROOT / "deploy/Dockerfile").read_text()
