"""The links of every page's header and footer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from leaderboard.pages import analysis
from leaderboard.pages.base import page_url

# The links in every page's header, in order: a route's name and its label.
NAVIGATION = {
    "home": "Leaderboards",
    "tasks": "Tasks",
    "agents": "Agents",
    "analysis": "Analysis",
    "data": "Data",
    "submit": "Submit",
}
# The links in every page's footer. With those of the header they are all pages whose address names nothing, and search
# has its field in the header.
SITE_MAP = {
    "Analysis": {name: title for name, title, _ in analysis.VIEWS},
    "Results": {
        "runs": "Runs",
        "pairs": "Pairs of versions",
        "agentkernelarena": "AgentKernelArena",
        "agentkernelarena_paper": "AgentKernelArena's paper",
        "kernelbench_x": "KernelBench-X",
        "kernelbench_x_paper": "KernelBench-X's paper",
        "claims": "Claims",
    },
    "Evaluation": {"queue": "Queue", "hosts": "Hosts"},
    "Method": {"metrics": "Metrics", "peaks": "Peak rates", "versions": "Versions"},
}


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Context processor: name, address and label of each link in the header, and in each part of the footer."""
    return {"navigation": _links(NAVIGATION), "site_map": {title: _links(part) for title, part in SITE_MAP.items()}}


def _links(labels: Mapping[str, str]) -> list[tuple[str, str, str]]:
    return [(name, page_url(name), label) for name, label in labels.items()]
