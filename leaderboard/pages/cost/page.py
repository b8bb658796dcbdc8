"""What results cost: what evaluations took here, and the tokens and speedups that a paper printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leaderboard.charts import Chart, PointGroup, Spot
from leaderboard.charts.pareto import cost_against_gain, efficient
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, seconds
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, entry_cells, entry_name, page_url
from leaderboard.pages.cost import agents as cost_agents
from leaderboard.pages.cost.agents import AgentCost
from leaderboard.queries import cost, published
from leaderboard.queries.cost import EvaluationRow
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import CATEGORIES

TOKENS, RESULTS = "agentkernelarena-output-tokens-thousands", "agentkernelarena-main-results"


@dataclass(frozen=True, slots=True)
class EvaluationCost:
    """Wall time on the host of public answers, from the claim to the verdict, without the agent's session."""

    configuration: str
    name: str
    device_class: str
    answers: int
    total_s: float
    mean_s: float


@dataclass(frozen=True, slots=True)
class PrintedCost:
    """Of the paper. `is_efficient`: nothing in its category has as few tokens and as large a speedup."""

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
    here: tuple[str, ...] = field(metadata=SCREEN)  # charts of what was measured here

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
        title="What it costs",
        lead="Tokens, time and money against what is gained. What a paper printed and what happened here stand apart.",
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
    return EvaluationCost(row.configuration, name, row.device, row.answers, total_s, total_s / row.answers)


def _spots(cells: Mapping[str, Sequence[Mapping[str, str]]]) -> dict[str, list[tuple[str, str, Spot]]]:
    """Category → agent, model and spot of each configuration with both figures; one number for it in all categories."""
    speedups = {(row["category"], row["agent"], row["model"]): row["mean_speedup"] for row in cells.get(RESULTS, ())}
    agents = list(dict.fromkeys(row["agent"] for row in cells.get(TOKENS, ())))
    found: dict[str, list[tuple[str, str, Spot]]] = {}
    for number, row in enumerate(cells.get(TOKENS, ()), 1):
        agent, model = row["agent"], row["model"]
        group = PointGroup(number, f"{agent} · {model}", number - 1, agents.index(agent))
        for category in CATEGORIES:
            speedup, tokens = speedups.get((category, agent, model)), row.get(category)
            if speedup and tokens:
                text = f"{tokens} thousand tokens a task, {speedup}×"
                spot = Spot(group, float(tokens), float(speedup), text, is_mean=True)
                found.setdefault(category, []).append((agent, model, spot))
    return found


def _printed(category: str, own: Sequence[tuple[str, str, Spot]]) -> list[PrintedCost]:
    """Fewest tokens first."""
    best = set(efficient([spot for _, _, spot in own]))
    ordered = sorted(own, key=lambda one: one[2].across)
    return [PrintedCost(category, agent, model, spot.across, spot.up, spot in best) for agent, model, spot in ordered]


def _evaluations_table(found: Sequence[EvaluationCost]) -> Table:
    columns = (
        Column("name", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("device_class", "Device class", is_code=True),
        Column("answers", "Public answers", is_number=True),
        Column("mean_s", "For each", is_number=True),
        Column("total_s", "Together", is_number=True),
    )
    rows = [
        (
            *entry_cells(one.name, one.configuration),
            Cell(one.device_class, one.device_class),
            count_cell(one.answers),
            Cell(seconds(one.mean_s), round(one.mean_s, 3)),
            Cell(seconds(one.total_s), round(one.total_s, 3)),
        )
        for one in found
    ]
    caption = "What judging took on our hosts, from the claim of an attempt to its verdict"
    empty = "Nothing is published yet. A draft counts here once a maintainer publishes it."
    return table("evaluations", caption, columns, rows, empty)


def _printed_table(found: Sequence[PrintedCost]) -> Table:
    columns = (
        Column("model", "Model"),
        Column("agent", "Agent"),
        Column("category", "Category"),
        Column("output_tokens_thousands", "Thousand output tokens a task", is_number=True),
        Column("mean_speedup", "Mean speedup", is_number=True),
        Column("is_efficient", "Nothing beats it"),
    )
    rows = [
        (
            Cell(one.model, one.model),
            Cell(one.agent, one.agent),
            Cell(CATEGORIES[one.category], one.category),
            Cell(f"{one.output_tokens_thousands:.1f}", one.output_tokens_thousands),
            Cell(f"{one.mean_speedup:.2f}×", one.mean_speedup),
            Cell("yes", True, tone="good", mark="✓") if one.is_efficient else Cell(NONE, False),
        )
        for one in found
    ]
    caption = "As printed: no other in its category has as few tokens and as large a mean speedup where it says yes"
    return table("printed", caption, columns, rows, "The paper's tables are not loaded: `manage.py load_published`.")


def _charts(spots: Mapping[str, Sequence[tuple[str, str, Spot]]]) -> dict[str, Chart]:
    return {
        category: cost_against_gain(
            category,
            f"{CATEGORIES[category]}: tokens against speedup",
            "Each configuration of the paper by its output tokens a task and its mean speedup; the line in steps joins "
            "those that no other beats in both.",
            ("thousand output tokens a task", "mean speedup"),
            [spot for _, _, spot in own],
        )
        for category, own in spots.items()
    }
