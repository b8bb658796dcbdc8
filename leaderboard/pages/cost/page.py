"""Cost: what agents and evaluations used here, and what a paper printed, against speedup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leaderboard.charts import Chart, PointGroup, Spot
from leaderboard.charts.pareto import cost_against_gain, efficient
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, seconds
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, entry_fields, entry_name, page_url
from leaderboard.pages.cost import agents as cost_agents
from leaderboard.pages.cost.agents import AgentCost
from leaderboard.queries import cost, published
from leaderboard.queries.cost import EvaluationRow
from leaderboard.tables import Cell, Field, Table, fields, table, text_field
from leaderboard.words import CATEGORIES

TOKENS, RESULTS = "agentkernelarena-output-tokens-thousands", "agentkernelarena-main-results"


@dataclass(frozen=True, slots=True)
class EvaluationCost:
    """Wall time that public results took on the host, from the claim to the verdict, without agents' sessions."""

    configuration: str
    name: str
    device_class: str
    results: int
    total_s: float
    mean_s: float


@dataclass(frozen=True, slots=True)
class PrintedCost:
    """A row of the paper. `is_efficient`: no other in its category has as few tokens and as large a speedup."""

    category: str
    agent: str
    model: str
    output_tokens_thousands: float
    mean_speedup: float
    is_efficient: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPage(Page):
    agents: tuple[AgentCost, ...]
    evaluations: tuple[EvaluationCost, ...]
    printed: tuple[PrintedCost, ...]
    here: tuple[str, ...] = field(metadata=SCREEN)  # slugs of charts of what was measured here

    @property
    def charts_here(self) -> list[Chart]:
        return [self.charts[slug] for slug in self.here]

    @property
    def charts_printed(self) -> list[Chart]:
        return [chart for slug, chart in self.charts.items() if slug not in self.here]


def build(query: Query) -> CostPage:
    agents = cost_agents.agent_costs(cost.agents())
    evaluations = tuple(_evaluation(row) for row in cost.evaluations())
    spots = _spots(published.cells_of_all((TOKENS, RESULTS)))
    printed = tuple(one for category, own in spots.items() for one in _printed(category, own))
    return CostPage(
        title="Cost",
        lead="Tokens, time and money against speedup, measured here and as printed in a paper.",
        crumbs=(Link("Analysis", page_url("analysis")),),
        tables=by_slug(cost_agents.agents_table(agents), _evaluations_table(evaluations), _printed_table(printed)),
        charts=cost_agents.charts(agents) | _charts(spots),
        here=tuple(cost_agents.charts(agents)),
        agents=agents,
        evaluations=evaluations,
        printed=printed,
    )


def _evaluation(row: EvaluationRow) -> EvaluationCost:
    total_s = max(row.took.total_seconds() - (row.sessions_s or 0.0), 0.0)
    name = entry_name(row.agent, row.model)
    return EvaluationCost(row.configuration, name, row.device, row.results, total_s, total_s / row.results)


def _spots(cells: Mapping[str, Sequence[Mapping[str, str]]]) -> dict[str, list[tuple[str, str, Spot]]]:
    """Category → agent, model and mark of each configuration with both figures, numbered alike in all categories."""
    speedups = {(row["category"], row["agent"], row["model"]): row["mean_speedup"] for row in cells.get(RESULTS, ())}
    agents = list(dict.fromkeys(row["agent"] for row in cells.get(TOKENS, ())))
    found: dict[str, list[tuple[str, str, Spot]]] = {}
    for number, row in enumerate(cells.get(TOKENS, ()), 1):
        agent, model = row["agent"], row["model"]
        group = PointGroup(number, f"{agent} · {model}", number - 1, agents.index(agent))
        for category in CATEGORIES:
            speedup, tokens = speedups.get((category, agent, model)), row.get(category)
            if speedup and tokens:
                text = f"{tokens} thousand tokens per task, {speedup}×"
                spot = Spot(group, float(tokens), float(speedup), text, is_mean=True)
                found.setdefault(category, []).append((agent, model, spot))
    return found


def _printed(category: str, own: Sequence[tuple[str, str, Spot]]) -> list[PrintedCost]:
    """Rows of a category, fewest tokens first."""
    best = set(efficient([spot for _, _, spot in own]))
    ordered = sorted(own, key=lambda one: one[2].across)
    return [PrintedCost(category, agent, model, spot.across, spot.up, spot in best) for agent, model, spot in ordered]


def _evaluations_table(found: Sequence[EvaluationCost]) -> Table:
    columns: tuple[Field[EvaluationCost], ...] = fields(
        entry_fields(lambda one: one.name, lambda one: one.configuration),
        text_field("device_class", "Device class", lambda one: one.device_class, is_code=True),
        Field("results", "Public results", lambda one: count_cell(one.results), is_number=True),
        Field("mean_s", "Mean time", lambda one: Cell(seconds(one.mean_s), round(one.mean_s, 3)), is_number=True),
        Field("total_s", "Total time", lambda one: Cell(seconds(one.total_s), round(one.total_s, 3)), is_number=True),
    )
    caption = "Evaluation time on our hosts, from the start of an attempt to its verdict"
    empty = "No results are published yet. Runs appear here once a maintainer publishes them."
    return table("evaluations", caption, columns, found, empty)


def _printed_table(found: Sequence[PrintedCost]) -> Table:
    columns: tuple[Field[PrintedCost], ...] = (
        text_field("model", "Model", lambda one: one.model),
        text_field("agent", "Agent", lambda one: one.agent),
        Field("category", "Category", lambda one: Cell(CATEGORIES[one.category], one.category)),
        Field(
            "output_tokens_thousands",
            "Thousand output tokens per task",
            lambda one: Cell(f"{one.output_tokens_thousands:.1f}", one.output_tokens_thousands),
            is_number=True,
        ),
        Field(
            "mean_speedup",
            "Mean speedup",
            lambda one: Cell(f"{one.mean_speedup:.2f}×", one.mean_speedup),
            is_number=True,
        ),
        Field(
            "is_efficient",
            "Efficient",
            lambda one: Cell("yes", True, tone="good", mark="✓") if one.is_efficient else Cell(NONE, False),
        ),
    )
    caption = "As printed; efficient: no other in its category has as few tokens and as large a mean speedup"
    return table(
        "printed",
        caption,
        columns,
        found,
        "The paper's tables are not loaded. Load them with `manage.py load_published`.",
    )


def _charts(spots: Mapping[str, Sequence[tuple[str, str, Spot]]]) -> dict[str, Chart]:
    return {
        category: cost_against_gain(
            category,
            f"{CATEGORIES[category]}: tokens against speedup, as printed in the paper",
            "Each configuration of the paper by its output tokens per task and its mean speedup. The stepped line "
            "joins those that no other beats in both.",
            ("thousand output tokens per task", "mean speedup over the baseline"),
            [spot for _, _, spot in own],
        )
        for category, own in spots.items()
    }
