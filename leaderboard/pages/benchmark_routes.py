"""The routes of pages about the two papers and their benchmarks, which `leaderboard/routes.py` takes in."""

from __future__ import annotations

from leaderboard.pages import claims, published
from leaderboard.pages.agentkernelarena import page as agentkernelarena
from leaderboard.pages.agentkernelarena import paper as agentkernelarena_paper
from leaderboard.pages.kernelbench_x import page as kernelbench_x
from leaderboard.pages.kernelbench_x import paper as kernelbench_x_paper
from leaderboard.pages.route import Route

ROUTES = (
    Route(
        "published", "published/", published.PublishedPage, published.build, "Tables from papers", section="analysis"
    ),
    Route(
        "published_table",
        "published/<slug:slug>/",
        published.PublishedTablePage,
        published.build_table,
        "One table of a paper, as printed",
        section="analysis",
    ),
    Route(
        "agentkernelarena",
        "agentkernelarena/",
        agentkernelarena.AgentKernelArenaPage,
        agentkernelarena.build,
        "AgentKernelArena measured here and as submitted, our tasks after its own, and what differs",
        template="sections",
        section="analysis",
    ),
    Route(
        "agentkernelarena_paper",
        "agentkernelarena/paper/",
        agentkernelarena_paper.AgentKernelArenaPaperPage,
        agentkernelarena_paper.build,
        "AgentKernelArena's paper: its tables and figures drawn and recomputed, and its disagreements",
        template="sections",
        section="analysis",
    ),
    Route(
        "kernelbench_x",
        "kernelbench-x/",
        kernelbench_x.KernelBenchXPage,
        kernelbench_x.build,
        "KernelBench-X measured here, as printed in its paper, and as submitted, by category",
        template="sections",
        section="analysis",
    ),
    Route(
        "kernelbench_x_paper",
        "kernelbench-x/paper/",
        kernelbench_x_paper.KernelBenchXPaperPage,
        kernelbench_x_paper.build,
        "Figures of KernelBench-X's paper: printed, recomputed and measured here, and its disagreements",
        template="sections",
        section="analysis",
    ),
    Route(
        "claims",
        "claims/",
        claims.ClaimsPage,
        claims.build,
        "Published claims: results of other benchmarks as their authors state them",
        "page",
        section="analysis",
    ),
)
