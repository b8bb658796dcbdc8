"""Usage of agents here (tokens, wall time, money) against their usable speedup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import exp

from evaluator.records.record import PROTOCOL
from leaderboard.charts import Chart, PointGroup, Spot
from leaderboard.charts.pareto import cost_against_gain
from leaderboard.formatting import NONE, plural, seconds, significant
from leaderboard.pages.base import count_cell, entry_fields, entry_name, protocol_parameter
from leaderboard.pages.board import standings
from leaderboard.pages.session_cells import count_text, usd
from leaderboard.queries import cost
from leaderboard.queries.cost import AgentCostRow
from leaderboard.statistics.limits import MIN_TASKS_FOR_INTERVAL
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field

# The horizontal axis of each chart: field of AgentCost, title, label, and the factor that gives its unit.
MEASURES = (
    ("output_tokens", "Tokens against speedup", "thousand output tokens per task", 1e-3),
    ("seconds", "Wall time against speedup", "minutes of the agent per task", 1 / 60),
    ("cost_usd", "Cost against speedup", "US dollars per task", 1.0),
)


@dataclass(frozen=True, slots=True)
class AgentCost:
    """Usage in the sessions of public results. Means are per task, over the sessions that report it, else None."""

    configuration: str
    name: str
    suite: str
    suite_version: int
    device_class: str
    protocol: str
    sessions: int
    seconds: float
    output_tokens: float | None
    output_tokens_of: int  # sessions that report it
    input_tokens: float | None
    input_tokens_of: int
    cost_usd: float | None
    cost_usd_of: int
    total_usd: float | None  # over those that report it
    usable_speedup: float | None
    no_speedup_because: str | None


def agent_costs(rows: Sequence[AgentCostRow]) -> tuple[AgentCost, ...]:
    results = cost.results_on_clocks({row.suite for row in rows if not row.is_functional})
    eligible = {place: sum(standings.eligible(found).values()) for place, found in results.items()}
    return tuple(_agent_cost(row, eligible.get((row.suite, row.version, row.device, row.protocol), 0)) for row in rows)


def _agent_cost(row: AgentCostRow, eligible_tasks: int) -> AgentCost:
    because = _no_speedup(row, eligible_tasks)
    return AgentCost(
        configuration=row.configuration,
        name=entry_name(row.agent, row.model),
        suite=row.suite,
        suite_version=row.version,
        device_class=row.device,
        protocol=row.protocol,
        sessions=row.sessions,
        seconds=row.seconds / row.sessions,
        output_tokens=_mean(row.output_tokens, row.output_tokens_reported),
        output_tokens_of=row.output_tokens_reported,
        input_tokens=_mean(row.input_tokens, row.input_tokens_reported),
        input_tokens_of=row.input_tokens_reported,
        cost_usd=_mean(row.cost_usd, row.cost_reported),
        cost_usd_of=row.cost_reported,
        total_usd=row.cost_usd,
        usable_speedup=exp((row.gain or 0.0) / row.sessions) if because is None else None,
        no_speedup_because=because,
    )


def agents_table(found: Sequence[AgentCost]) -> Table:
    columns: tuple[Field[AgentCost], ...] = fields(
        entry_fields(lambda one: one.name, lambda one: one.configuration, lambda one: one.configuration),
        text_field("suite", "Suite", lambda one: f"{one.suite}@{one.suite_version}"),
        Field(
            "device_class",
            "Device class",
            lambda one: Cell(one.device_class, one.device_class, note=protocol_parameter(one.protocol)),
            is_code=True,
        ),
        hidden("protocol", lambda one: one.protocol),
        Field("sessions", "Tasks × runs", lambda one: count_cell(one.sessions), is_number=True),
        Field(
            "output_tokens",
            "Output tokens per task",
            lambda one: _tokens_cell(one, one.output_tokens, one.output_tokens_of),
            is_number=True,
        ),
        hidden("output_tokens_of", lambda one: one.output_tokens_of),
        hidden("input_tokens", lambda one: one.input_tokens),
        hidden("input_tokens_of", lambda one: one.input_tokens_of),
        Field(
            "seconds",
            "Wall time per task",
            lambda one: Cell(seconds(one.seconds), round(one.seconds, 3)),
            is_number=True,
        ),
        Field("cost_usd", "Cost per task", lambda one: _usd_cell(one, one.cost_usd), is_number=True),
        hidden("cost_usd_of", lambda one: one.cost_usd_of),
        Field("total_usd", "Total cost", lambda one: _usd_cell(one, one.total_usd), is_number=True),
        Field("usable_speedup", "Usable speedup", _speedup_cell, is_number=True, metric="usable"),
        hidden("no_speedup_because", lambda one: one.no_speedup_because),
    )
    caption = "What agents used in the sessions of public results, including checks, and the speedup they reached"
    empty = (
        "No public result came from an agent's session yet. Start sessions with `python manage.py start_runs "
        "block_tuner`, or submit a bundle of `python -m evaluator run`."
    )
    return table("agents", caption, columns, found, empty)


def charts(found: Sequence[AgentCost]) -> dict[str, Chart]:
    """Slug → chart for each suite, device class and protocol with a usable speedup, and each reported measure."""
    made: dict[str, Chart] = {}
    for (suite, version, device, past), own in groupby(sorted(found, key=_place), key=_place):
        rows = [one for one in own if one.usable_speedup is not None]
        for measure, title, axis, scale in MEASURES:
            spots = [spot for number, one in enumerate(rows, 1) if (spot := _spot(number, one, measure, axis, scale))]
            if any(spot.across > 0 for spot in spots):
                slug = "-".join(filter(None, (measure, suite, str(version), device, past)))
                made[slug] = cost_against_gain(
                    slug,
                    f"{title}: {suite}@{version} on {device}, {past or PROTOCOL}",
                    "Each configuration by its mean over tasks and runs. The stepped line joins those that no other "
                    "beats in both.",
                    (axis, "usable speedup over the baseline"),
                    spots,
                )
    return made


def _place(one: AgentCost) -> tuple[str, int, str, str]:
    return one.suite, one.suite_version, one.device_class, protocol_parameter(one.protocol)


def _spot(number: int, one: AgentCost, measure: str, axis: str, scale: float) -> Spot | None:
    """A mark of the chart; None where not every session reports the measure, as the mean would be over others."""
    value = getattr(one, measure)
    if value is None or one.usable_speedup is None or getattr(one, f"{measure}_of", one.sessions) < one.sessions:
        return None
    group = PointGroup(number, f"{one.name} ({one.configuration})", number - 1, number - 1)
    text = f"{significant(value * scale)} {axis}"
    return Spot(group, value * scale, one.usable_speedup, f"{text}, {one.usable_speedup:.3f}×", is_mean=True)


def _no_speedup(row: AgentCostRow, eligible_tasks: int) -> str | None:
    if row.is_functional:
        return "functional times enter no metric"
    if row.counting < row.sessions:
        return f"{plural(row.sessions - row.counting, 'result')} of {row.sessions} not eligible"
    if eligible_tasks < MIN_TASKS_FOR_INTERVAL:
        return f"eligible cases in {plural(eligible_tasks, 'task')}; {MIN_TASKS_FOR_INTERVAL} needed"
    return None


def _mean(total: float | None, count: int) -> float | None:
    return total / count if total is not None and count else None


def _tokens_cell(one: AgentCost, value: float | None, of: int) -> Cell:
    return Cell(count_text(round(value) if value is not None else None), value, note=_of(one, of))


def _usd_cell(one: AgentCost, amount: float | None) -> Cell:
    return Cell("unknown" if amount is None else usd(amount), amount, note=_of(one, one.cost_usd_of))


def _speedup_cell(one: AgentCost) -> Cell:
    speed = f"{one.usable_speedup:.3f}×" if one.usable_speedup is not None else NONE
    return Cell(speed, one.usable_speedup, note=one.no_speedup_because or "")


def _of(one: AgentCost, count: int) -> str:
    """A note of how many sessions a mean is over; empty where it is over all."""
    return f"{count} of {one.sessions} report it" if count < one.sessions else ""
