"""The metrics page: every formula, status, gate and flag with its meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluator.records.record import PROTOCOL
from leaderboard.encoding import SCREEN
from leaderboard.pages.base import Link, Page, Query, by_slug
from leaderboard.pages.metrics import agentkernelarena, formulas, kernelbench_x
from leaderboard.pages.metrics.formulas import Metric
from leaderboard.tables import Cell, Field, Table, table, text_field
from leaderboard.words import FLAGS, GATES, STATUSES, TRUST, Word, status_cell, word_cell

METRICS: tuple[Metric, ...] = (*formulas.METRICS, *agentkernelarena.METRICS, *kernelbench_x.METRICS)


@dataclass(frozen=True, slots=True)
class Term:
    code: str
    name: str
    means: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsPage(Page):
    protocol: str
    metrics: tuple[Metric, ...]
    gates: tuple[Term, ...]
    statuses: tuple[Term, ...]
    flags: tuple[Term, ...]
    trust: tuple[Term, ...]
    sections: tuple[Link, ...] = field(metadata=SCREEN)


def build(query: Query) -> MetricsPage:
    statuses = tuple(Term(code, word.label, word.meaning) for code, word in STATUSES.items())
    flags = tuple(Term(code, label, text) for code, (label, text) in FLAGS.items())
    gates = tuple(Term(name, name, text) for name, text in GATES.items())
    return MetricsPage(
        title="Metrics",
        lead="Every number on this site is one of the following.",
        tables=by_slug(_trust_table(), _statuses_table(), _flags_table(flags)),
        protocol=PROTOCOL,
        metrics=METRICS,
        gates=gates,
        statuses=statuses,
        flags=flags,
        trust=tuple(Term(code, word.label, word.meaning) for code, word in TRUST.items()),
        sections=tuple(Link(metric.name, f"#{metric.slug}") for metric in METRICS),
    )


def _trust_table() -> Table:
    columns: tuple[Field[tuple[str, Word]], ...] = (
        Field("word", "Word", lambda row: word_cell(row[1], row[0])),
        text_field("means", "Meaning", lambda row: row[1].meaning),
    )
    return table("trust_words", "How far a run or a result is to be trusted", columns, TRUST.items(), "")


def _statuses_table() -> Table:
    whose = {"good": "the candidate", "bad": "the candidate", "ours": "not the candidate", "open": "not finished"}
    columns: tuple[Field[tuple[str, Word]], ...] = (
        Field("status", "Status", lambda row: status_cell(row[0])),
        text_field("means", "Meaning", lambda row: row[1].meaning),
        text_field("whose", "Concerns", lambda row: whose[row[1].tone]),
    )
    return table("statuses", "The statuses of an evaluation", columns, STATUSES.items(), "")


def _flags_table(flags: Sequence[Term]) -> Table:
    columns: tuple[Field[Term], ...] = (
        Field("code", "Flag", lambda term: Cell(term.name, term.code)),
        text_field("means", "Meaning", lambda term: term.means),
    )
    return table("flags", "Flags: reservations about a number", columns, flags, "")
