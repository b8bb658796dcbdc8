"""The page of one task: description, contract, cases, baseline source and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator.tasks.baselines import baselines_of
from leaderboard.diffs import DiffLine, numbered
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, plural
from leaderboard.pages.base import (
    Link,
    Page,
    Query,
    by_slug,
    entry_name,
    page_url,
    subject_under_protocols,
    task_source_url,
)
from leaderboard.pages.baselines import CaseBaselines, baselines_tables, case_baselines
from leaderboard.pages.board.query import Choice
from leaderboard.pages.task import best as task_best
from leaderboard.pages.task import pair as task_pair
from leaderboard.pages.task.contract import TaskContract, contract_tables, task_contract
from leaderboard.pages.task.description import Span, paragraphs
from leaderboard.pages.task.measured import DeviceFinding, device_findings, measured_table
from leaderboard.queries import generalization, results, task_results, tasks
from leaderboard.queries.tasks import TaskResultRow
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, hidden, table, text_field
from leaderboard.words import CATEGORIES, CONFIG_CATEGORIES, role_note, status_cell

MOST_RESULTS = 200


@dataclass(frozen=True, slots=True)
class CaseLine:
    id: str
    profile: str
    axes: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RevealedCase:
    """An unseen case of a revealed round."""

    round: str
    id: str
    category: str
    profile: str
    origin: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    path: str
    sha256: str
    url: str
    text: str | None  # None where the archive lost it
    lines: tuple[DiffLine, ...] = field(metadata=SCREEN)


@dataclass(frozen=True, slots=True)
class TaskResult:
    result: int
    run: int
    repeat: int
    suite: str
    device_class: str
    configuration: str
    role: str
    status: str
    message: str
    is_published: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPage(Page):
    task: str
    category: str
    digest: str
    is_current: bool
    is_plain: bool  # it ships no expert
    versions: tuple[str, ...]  # digests, the current one first
    suites: tuple[str, ...]
    description: str
    editable: tuple[str, ...]
    cases: tuple[CaseLine, ...]
    unseen_cases: tuple[RevealedCase, ...]  # of revealed rounds, where candidates were evaluated on them
    measured: tuple[DeviceFinding, ...]  # full cases on GPUs, by device class
    contract: TaskContract | None  # None where tasks/ has another version
    sources: tuple[SourceFile, ...]
    provenance: dict[str, str]
    given: dict[str, str]  # the files that an agent gets: path → text; empty where tasks/ has another version
    configurations: tuple[task_best.TaskEntry, ...]
    best: tuple[task_best.BestKnown, ...]
    pair: task_pair.TaskPair | None  # two configurations side by side
    pair_cases: tuple[task_pair.PairCase, ...]
    results: tuple[TaskResult, ...]
    further_baselines: tuple[str, ...]  # kinds that are timed beside the task's own
    baselines: tuple[CaseBaselines, ...]  # from the newest result of each device that was run here
    paragraphs: tuple[tuple[Span, ...], ...] = field(metadata=SCREEN)
    choices: tuple[Choice, ...] = field(metadata=SCREEN)
    kept: tuple[tuple[str, str], ...] = field(metadata=SCREEN)
    fastest: tuple[tuple[str, str], ...] = field(metadata=SCREEN)  # what the best kernels reach now: text, address
    is_filtered: bool = field(default=False, metadata=SCREEN)


def build(query: Query, *, category: str, source: str, name: str) -> TaskPage | None:
    path = f"{category}/{source}/{name}"
    found = tasks.task(path, query.get("digest", ""))
    if found is None:
        return None
    row = found.row
    spec = tasks.contract_of(row.path, row.digest)
    terms = task_contract(spec) if spec else None
    rows = tasks.results_of(row.id, MOST_RESULTS)
    seen = tuple(CaseLine(case["id"], case["profile"], case["axes"]) for case in row.cases)
    unseen = tuple(RevealedCase(*one) for one in generalization.cases_of_task(row.id))
    public = task_results.results_of(row.id)
    configurations, best = task_best.entries(public), task_best.best_known(public)
    pair = task_pair.chosen(query, configurations)
    pair_cases = task_pair.cases_of(pair, task_results.cases_of(pair.results)) if pair else ()
    kinds = tuple(baselines_of(spec)) if spec else ()
    records = [results.record(digest) for digest in task_results.newest_records(row.id)] if kinds else []
    baselines = tuple(one for record in records for one in case_baselines(record, with_candidate=False))
    full = [case.id for case in seen if case.profile == "full"]
    measured = device_findings(tasks.findings_of(spec) if spec else {}, full)
    return TaskPage(
        title=row.name,
        lead=f"{CATEGORIES[row.category]}. {plural(len(seen) - len(full), 'small case')}, which CPUs run too, and "
        f"{len(full)} full-size for GPUs.",
        subject=subject_under_protocols(f"Task {path}"),
        crumbs=(
            Link("Tasks", page_url("tasks")),
            Link(CATEGORIES[category], f"{page_url('tasks')}?category={category}"),
        ),
        tables=by_slug(
            _cases_table(seen),
            measured_table(measured),
            _unseen_table(unseen),
            task_best.entries_table(configurations),
            task_best.best_table(best),
            task_pair.pair_table(pair, pair_cases),
            _results_table(rows),
            *baselines_tables(baselines),
            *(contract_tables(terms) if terms else ()),
        ),
        charts=task_best.charts(best) | task_pair.charts(pair, pair_cases),
        **_identity(found),
        cases=seen,
        unseen_cases=unseen,
        measured=measured,
        contract=terms,
        given=tasks.agent_files(spec) if spec else {},
        configurations=configurations,
        best=best,
        pair=pair,
        pair_cases=pair_cases,
        choices=task_pair.choices(pair, configurations),
        fastest=task_best.fastest(best),
        kept=(("digest", query["digest"]),) if query.get("digest") else (),
        results=tuple(_result(one) for one in rows),
        further_baselines=kinds,
        baselines=baselines,
    )


def _identity(found: tasks.FoundTask) -> dict[str, Any]:
    """The fields of the page that come from the task's row."""
    row = found.row
    return {
        "task": row.path,
        "category": row.category,
        "digest": row.digest,
        "is_current": row.is_current,
        "is_plain": row.is_plain,
        "versions": tuple(found.versions),
        "suites": tuple(f"{suite}@{version}" for suite, version in found.suites),
        "description": row.description,
        "paragraphs": paragraphs(row.description),
        "editable": tuple(row.editable),
        "sources": tuple(_source(row, path, digest) for path, digest in sorted(row.files.items())),
        "provenance": {name.replace("_", " "): text for name, text in row.provenance.items()},
    }


def source_bytes(*, category: str, source: str, name: str, path: str, digest: str) -> bytes | None:
    """Return a file of the baseline in the version with this digest, or in the current one; None if there is none."""
    found = tasks.task(f"{category}/{source}/{name}", digest)
    sha256 = found.row.files.get(path) if found else None
    return results.archived(sha256) if sha256 else None


def _source(row: tasks.TaskListRow, path: str, digest: str) -> SourceFile:
    data = results.archived(digest)
    text = data.decode("utf-8", "replace") if data is not None else None
    return SourceFile(path, digest, task_source_url(row.path, row.digest, path), text, numbered(text or ""))


def _result(row: TaskResultRow) -> TaskResult:
    suite = f"{row.suite}@{row.version}"
    return TaskResult(
        row.id,
        row.run_id,
        row.repeat,
        suite,
        row.device,
        row.configuration,
        row.role,
        row.status,
        row.message,
        row.is_published,
    )


def _cases_table(cases: Sequence[CaseLine]) -> Table:
    columns: tuple[Field[tuple[int, CaseLine]], ...] = fields(
        Field("case", "Case", lambda one: Cell(str(one[0]), one[1].id), is_code=True),
        (_axis_field(name) for name in sorted({name for case in cases for name in case.axes})),
        text_field("profile", "Profile", lambda one: one[1].profile),
    )
    caption = "Seen cases. Hosts without a GPU run only the small ones"
    return table("cases", caption, columns, enumerate(cases, 1), "The task has no cases.")


def _axis_field(name: str) -> Field[tuple[int, CaseLine]]:
    def cell(one: tuple[int, CaseLine]) -> Cell:
        if (value := one[1].axes.get(name)) is None:
            return Cell(NONE)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return Cell(text, value if isinstance(value, int | str) else text)

    return Field(name, name, cell, is_number=True)


def _unseen_table(cases: Sequence[RevealedCase]) -> Table:
    columns: tuple[Field[RevealedCase], ...] = fields(
        Field("case", "Case", lambda one: Cell(one.id.replace(",", ", "), one.id), is_code=True),
        Field("category", "Kind of case", lambda one: Cell(CONFIG_CATEGORIES[one.category], one.category)),
        text_field("profile", "Profile", lambda one: one.profile),
        text_field("round", "Round", lambda one: one.round),
        hidden("origin", lambda one: one.origin),
    )
    caption = "Unseen cases of revealed rounds that candidates were evaluated on"
    empty = "None yet: a round's cases are secret until it is revealed."
    return table("unseen_cases", caption, columns, cases, empty)


def _results_table(rows: Sequence[TaskResultRow]) -> Table:
    columns: tuple[Field[TaskResultRow], ...] = fields(
        Field("entry", "Entry", _entry_cell),
        hidden("configuration", lambda row: row.configuration),
        Field("status", "Status", lambda row: status_cell(row.status, page_url("result", row.id), audit=row.audit)),
        Field("message", "What happened", lambda row: Cell(row.message or NONE, row.message)),
        text_field("device_class", "Device class", lambda row: row.device, is_code=True),
        text_field("suite", "Suite", lambda row: f"{row.suite}@{row.version}"),
        Field("run", "Run", lambda row: Cell(str(row.run_id), row.run_id, page_url("run", row.run_id)), is_number=True),
    )
    drafts = tuple(row for row in rows if not row.is_published)
    groups = (
        RowGroup(tuple(row for row in rows if row.is_published)),
        RowGroup(drafts, "Not published", "Drafts: on no leaderboard, and they may still change."),
    )
    empty = "No results for this task yet. Start a run on a suite that has it."
    return grouped("results", "All results of this task, published ones first", columns, groups, empty)


def _entry_cell(row: TaskResultRow) -> Cell:
    name = entry_name(row.agent, row.model)
    return Cell(name, name, note=role_note(row.role, f"repeat {row.repeat}" if row.repeat else ""))
