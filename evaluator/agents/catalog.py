"""Finds agents by their folders, reads their settings and loads their launchers."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

import yaml

from evaluator.agents.interface import (
    SHARED,
    AgentSettings,
    CheckedVersion,
    Launcher,
    ProducedCandidate,
    SessionContext,
    SessionOutcome,
)
from evaluator.agents.settings import specific_settings
from evaluator.errors import UsageError
from evaluator.records.reasons import Status
from evaluator.records.sessions import NOTHING_SPENT
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.fields import Fields, Problems
from evaluator.tasks.spec import CATEGORIES, TaskSpec

FOLDER = Path(__file__).parent
FILE = "agent.yaml"
Kind = Literal["reference", "program", "model"]
KEYS = ("title", "kind", "about", "categories", *SHARED, "needs", "own")
LONGEST_S = 7 * 24 * 3600.0
LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
HOST = re.compile(rf"(?=.{{1,253}}$){LABEL}(\.{LABEL})*")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True, slots=True)
class AgentFolder:
    name: str
    title: str
    kind: Kind  # reference: a known candidate, submitted without a session; boards draw it as a line and never rank it
    about: str  # what it does, in a sentence or two for its page
    categories: tuple[str, ...]  # of the tasks that it takes; for others it submits nothing
    settings: AgentSettings
    needs: tuple[
        str, ...
    ] = ()  # required and without a default: names of settings, `program`, `secrets` (at least one)

    @property
    def takes_plain(self) -> bool:
        """Whether it takes plain tasks, which have no expert for it to submit."""
        return self.name != "expert"


def agent_names() -> tuple[str, ...]:
    """The names of all folders beside this file that hold an agent.yaml, sorted."""
    return tuple(sorted(path.parent.name for path in FOLDER.glob(f"*/{FILE}")))


def read_agent(name: str, changes: Mapping[str, object] | None = None) -> AgentFolder:
    """An agent with its settings; `changes` of a run's configuration override those of agent.yaml.

    Raises:
        UsageError: there is no such agent.
        TaskError: with every unknown setting, every value out of range, and every fault in the file's format.
    """
    if name not in agent_names():
        raise UsageError(f"no agent is named {name!r}; the agents are {', '.join(agent_names())}")
    problems = Problems(f"{name}/{FILE}" if not changes else f"{name}/{FILE} with {', '.join(changes)} as set")
    written = Fields.read((FOLDER / name / FILE).read_bytes(), problems)
    own, set_otherwise = written.mapping("own", optional=True), changes or {}
    known = sorted({*SHARED, *map(str, own.raw)})
    problems.lines += [
        f"{name} has no setting {key!r}; its settings are {', '.join(known)}"
        for key in set_otherwise
        if key not in known
    ]
    fields = Fields(
        {**written.raw, **{key: set_otherwise[key] for key in SHARED if key in set_otherwise}}, "", problems
    )
    fields.only(KEYS)
    agent = AgentFolder(
        name=name,
        title=fields.string("title", None),
        kind=cast("Kind", fields.choice("kind", ("reference", "program", "model"))),
        about=fields.string("about", None),
        categories=_categories(fields),
        settings=AgentSettings(
            timeout_s=float(fields.number("timeout_s", 3600, low=1, high=LONGEST_S)),
            max_iterations=fields.whole("max_iterations", 3, low=1, high=10_000),
            cheatsheets=fields.boolean("cheatsheets", True),
            contract_shown=fields.boolean("contract_shown", True),
            network=_names(fields, "network", HOST),
            secrets=_names(fields, "secrets", VARIABLE),
            own=specific_settings(own, set_otherwise),
        ),
        needs=fields.strings("needs", ()),
    )
    problems.raise_if_any()
    return agent


def parse_settings(words: Iterable[str]) -> dict[str, object]:
    """Settings by name from words of the form NAME=VALUE, with values read as YAML.

    Raises:
        UsageError: a word does not have that form, or its value is not YAML.
    """
    found = dict[str, object]()
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"{word!r} is not a setting; expected NAME=VALUE")
        try:
            found[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise UsageError(f"{word!r}: the value is not YAML: {error}") from error
    return found


def settings_text(agent: AgentFolder) -> dict[str, str]:
    """Every setting by name, as one line of YAML."""
    values = agent.settings.as_dict()
    flow = {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
    return {
        key: yaml.safe_dump(value, default_flow_style=True, width=10_000).removesuffix("...\n").strip()
        for key, value in flow.items()
    }


def load_launcher(name: str) -> Launcher:
    """The agent's `launch`, imported when first needed: a launcher may need packages that other agents do not."""
    module = importlib.import_module(f"{__package__}.{name}.launcher")
    return cast("Launcher", module.launch)


def launch(agent: AgentFolder, context: SessionContext) -> SessionOutcome:
    """Let the agent work on the task. For a category that it does not take it submits nothing, and says so."""
    category = context.task.category
    if category not in agent.categories:
        nothing = Candidate({}, agent.name, (("other_category", category),))
        message = f"{agent.title} takes no {category} tasks"
        return SessionOutcome(nothing, "gave_up", message, usage=NOTHING_SPENT, expected=Status.NOT_PRODUCED)
    work = load_launcher(agent.name)(context)
    # Bundles whose candidates have another label than the agent's name are refused.
    return replace(work, candidate=replace(work.candidate, label=agent.name))


def produce(name: str, task: TaskSpec, repeat: int = 0) -> ProducedCandidate:
    """A reference agent's candidate for a task.

    Raises:
        UsageError: there is no such agent, or it works only in a session.
    """
    agent = read_agent(name)
    if agent.kind != "reference":
        raise UsageError(f"{name} works in sessions: use `run --agent {name}`, or import a bundle")
    work = launch(agent, SessionContext(task, agent.settings, repeat, "", check=_never, agent=name))
    return ProducedCandidate(work.candidate, work.expected)


def _categories(fields: Fields) -> tuple[str, ...]:
    values = fields.strings("categories", tuple(CATEGORIES))
    for index, value in enumerate(values):
        if value not in CATEGORIES:
            fields.problem(f"categories.{index}", value, f"one of {', '.join(CATEGORIES)}")
    return values


def _names(fields: Fields, key: str, pattern: re.Pattern[str]) -> tuple[str, ...]:
    values = fields.strings(key, ())
    for index, value in enumerate(values):
        if not pattern.fullmatch(value):
            fields.problem(f"{key}.{index}", value, "a host's name" if key == "network" else "a variable's name")
    return values


def _never(candidate: Candidate, parents: tuple[int, ...] | None = None) -> CheckedVersion:
    raise AssertionError("a reference agent checks nothing")


REFERENCE_AGENTS = tuple(name for name in agent_names() if read_agent(name).kind == "reference")
DEMO_AGENTS = ("baseline", "expert", "rewrite")  # reference agents of all categories, whose statuses are known
