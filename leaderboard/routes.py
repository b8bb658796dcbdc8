"""The list of all public pages, from which HTML, JSON, CSV, SVG and the explore view are made."""

from __future__ import annotations

from leaderboard.pages import analysis, benchmark_routes, data, peaks, search, versions
from leaderboard.pages.agents import page as agents
from leaderboard.pages.attribution import page as attribution
from leaderboard.pages.base import Page, Query
from leaderboard.pages.behaviour import page as behaviour
from leaderboard.pages.board import history
from leaderboard.pages.board import page as board
from leaderboard.pages.compare import page as compare
from leaderboard.pages.cost import page as cost
from leaderboard.pages.distribution import page as distribution
from leaderboard.pages.efficiency import page as efficiency
from leaderboard.pages.failures import page as failures
from leaderboard.pages.generalization import index as generalizations
from leaderboard.pages.generalization import page as generalization
from leaderboard.pages.home import page as home
from leaderboard.pages.hosts import noise, queue
from leaderboard.pages.hosts import page as hosts
from leaderboard.pages.iterations import index as iterations
from leaderboard.pages.iterations import page as trajectory
from leaderboard.pages.metrics import page as metrics
from leaderboard.pages.pairs import index as pairs
from leaderboard.pages.pairs import page as pair
from leaderboard.pages.portability import page as portability
from leaderboard.pages.quality import page as quality
from leaderboard.pages.result import attempts, audits, transcript
from leaderboard.pages.result import page as result
from leaderboard.pages.route import Route, api_path
from leaderboard.pages.run import index as runs
from leaderboard.pages.run import page as run
from leaderboard.pages.submission import guide
from leaderboard.pages.submission import page as submission
from leaderboard.pages.task import index as tasks
from leaderboard.pages.task import page as task
from leaderboard.queries.revision import of_result, of_run, of_task


def _data(query: Query) -> Page:
    """The page that lists all routes, itself included."""
    lines = (data.DataAddress(f"/api/v1/{api_path(route)}", route.summary, route.query) for route in ROUTES)
    return data.build(query, tuple(lines))


ROUTES = (
    Route(
        "home", "", home.HomePage, home.build, "Leaderboards, their leaders, what is new", is_shared=True, is_live=True
    ),
    Route(
        "board",
        "board/<slug:suite>/<slug:category>/<slug:device>/",
        board.BoardPage,
        board.build,
        "One leaderboard: entries, reference lines, all public results",
        "sort, view, agent, model, trust, since, source, operator, ranks, as_of, version, protocol",
        section="home",
        is_shared=True,
    ),
    Route(
        "history",
        "history/<slug:suite>/<slug:category>/<slug:device>/",
        history.HistoryPage,
        history.build,
        "One leaderboard over time: who was ranked at the end of each day on which something was published",
        "version, protocol",
        section="home",
        is_shared=True,
    ),
    Route(
        "generalizations",
        "generalization/",
        generalizations.GeneralizationsPage,
        generalizations.build,
        "Leaderboards and rounds with unseen cases",
        section="analysis",
    ),
    Route(
        "generalization",
        "generalization/<slug:suite>/<slug:category>/<slug:device>/",
        generalization.GeneralizationPage,
        generalization.build,
        "Unseen cases of one leaderboard: quadrants, speed, regressions; before the reveal counts over the suite",
        "round, version, protocol",
        section="analysis",
        is_shared=True,
    ),
    Route(
        "distribution",
        "distribution/<slug:suite>/<slug:category>/<slug:device>/",
        distribution.DistributionPage,
        distribution.build,
        "How the speedups of a leaderboard's entries are distributed over its tasks",
        "clock, method, agent, model, trust, since, source, operator, as_of, version, protocol",
        section="home",
        is_shared=True,
    ),
    Route(
        "attribution",
        "attribution/<slug:suite>/<slug:category>/<slug:device>/",
        attribution.AttributionPage,
        attribution.build,
        "What explains the results of a leaderboard: entry or type of task, what nobody solves, what is slower",
        "source, operator, as_of, version, protocol",
        section="home",
    ),
    Route(
        "efficiency",
        "efficiency/<slug:suite>/<slug:category>/<slug:device>/",
        efficiency.EfficiencyPage,
        efficiency.build,
        "Hardware efficiency on one leaderboard: GB/s, TFLOP/s, IOU, MFU and score by entry, type of operator and task",
        "agent, model, trust, since, source, operator, version, protocol",
        section="home",
        is_shared=True,
    ),
    Route(
        "quality",
        "quality/<slug:suite>/<slug:category>/<slug:device>/",
        quality.QualityPage,
        quality.build,
        "Maintainability and complexity of the code of a leaderboard's correct results",
        "agent, model, trust, since, source, operator, as_of, version, protocol",
        section="home",
    ),
    Route(
        "compare",
        "compare/<slug:suite>/<slug:category>/<slug:device>/",
        compare.ComparePage,
        compare.build,
        "Two to six entries of a leaderboard, compared in pairs and task by task",
        "a, b, c, d, e, f, common, source, operator, as_of, version, protocol",
        section="home",
    ),
    Route("tasks", "tasks/", tasks.TasksPage, tasks.build, "All tasks", "category, source, operator"),
    Route(
        "task",
        "task/<slug:category>/<slug:source>/<slug:name>/",
        task.TaskPage,
        task.build,
        "One task: contract, cases, sources, results, two configurations case by case",
        "digest, device, a, b",
        section="tasks",
        revision_of=of_task,
        is_shared=True,
    ),
    Route("agents", "agents/", agents.AgentsPage, agents.build, "All agents, models and configurations"),
    Route(
        "agent",
        "agent/<slug:slug>/",
        agents.AgentPage,
        agents.build_agent,
        "One agent: its configurations, leaderboards and runs",
        template="entrant",
        section="agents",
        is_live=True,
    ),
    Route(
        "model",
        "model/<slug:slug>/",
        agents.ModelPage,
        agents.build_model,
        "One model: its exact identifier, configurations, leaderboards and runs",
        template="entrant",
        section="agents",
        is_live=True,
    ),
    Route(
        "configuration",
        "configuration/<slug:slug>/",
        agents.ConfigurationPage,
        agents.build_configuration,
        "One configuration: its settings, leaderboards and runs",
        template="entrant",
        section="agents",
        is_live=True,
    ),
    Route(
        "runs",
        "runs/",
        runs.RunsPage,
        runs.build,
        "Runs, newest first, 50 to a page",
        "suite, device, configuration, protocol, state, page",
        section="home",
        is_live=True,
    ),
    Route(
        "run",
        "run/<row:run>/",
        run.RunPage,
        run.build,
        "One run with its progress, results and history",
        section="home",
        revision_of=of_run,
    ),
    Route(
        "result",
        "result/<row:result>/",
        result.ResultPage,
        result.build,
        "One result with all its details",
        "attempt",
        section="home",
        revision_of=of_result,
        is_shared=True,
    ),
    Route(
        "attempts",
        "result/<row:result>/attempts/",
        attempts.AttemptsPage,
        attempts.build,
        "Two attempts at one result side by side",
        "old, new",
        section="home",
        revision_of=of_result,
    ),
    Route(
        "transcript",
        "result/<row:result>/session/",
        transcript.TranscriptPage,
        transcript.build,
        "The agent's session behind one result: each step with its output and the version that it led to",
        "q, page",
        section="home",
        revision_of=of_result,
    ),
    *benchmark_routes.ROUTES,
    Route("analysis", "analysis/", analysis.AnalysisPage, analysis.build, "Index of the analysis pages"),
    Route(
        "failures",
        "failures/",
        failures.FailuresPage,
        failures.build,
        "Outcomes of public results and their reasons, with denominators and examples",
        "suite, device, configuration, protocol, reason",
        section="analysis",
    ),
    Route(
        "behaviour",
        "behaviour/",
        behaviour.BehaviourPage,
        behaviour.build,
        "What agents' candidates do that baselines do not, and how they ended",
        "suite, device, configuration, protocol, category",
        section="analysis",
    ),
    Route(
        "iterations",
        "iterations/",
        iterations.IterationsPage,
        iterations.build,
        "Leaderboards with agents' sessions, and kinds of edit between neighbouring versions",
        section="analysis",
    ),
    Route(
        "trajectory",
        "iterations/<slug:suite>/<slug:category>/<slug:device>/",
        trajectory.TrajectoryPage,
        trajectory.build,
        "One leaderboard iteration by iteration: right, compiled and speed; rescued, persistent and lost",
        "carry, version, protocol",
        section="analysis",
        is_shared=True,
    ),
    Route(
        "pairs",
        "pairs/",
        pairs.PairsPage,
        pairs.build,
        "Pairs of neighbouring versions of sessions or imported corpora, newest first, 50 to a page",
        "origin, configuration, submission, task, transition, edit, error, page",
        section="analysis",
    ),
    Route(
        "pair",
        "pairs/version/<row:version>/",
        pair.PairPage,
        pair.build_of_session,
        "One pair of a session: both versions, what changed between them, and what became of it",
        section="analysis",
    ),
    Route(
        "claimed_pair",
        "pairs/claim/<row:claim>/",
        pair.PairPage,
        pair.build_of_claim,
        "One pair of an imported corpus, as claimed",
        template="pair",
        section="analysis",
    ),
    Route("noise", "noise/", noise.NoisePage, noise.build, "Every calibration of every host", section="analysis"),
    Route(
        "portability",
        "portability/",
        portability.PortabilityPage,
        portability.build,
        "The same configuration on several device classes",
        "configuration, suite, protocol",
        section="analysis",
    ),
    Route("cost", "cost/", cost.CostPage, cost.build, "Cost of results, here and in a paper", section="analysis"),
    Route(
        "submit",
        "submit/",
        guide.SubmitPage,
        guide.build,
        "How to submit results, and the latest submissions",
        is_live=True,
    ),
    Route(
        "submission",
        "submission/<row:submission>/",
        submission.SubmissionPage,
        submission.build,
        "One submission: its state, what was claimed and what was measured",
        section="submit",
        is_live=True,
    ),
    Route("audits", "audits/", audits.AuditsPage, audits.build, "Audits of public results", section="analysis"),
    Route(
        "queue",
        "queue/",
        queue.QueuePage,
        queue.build,
        "Waiting and running attempts, and expected waits",
        section="submit",
        is_live=True,
    ),
    Route("hosts", "hosts/", hosts.HostsPage, hosts.build, "Hosts and their devices", section="submit", is_live=True),
    Route("search", "search/", search.SearchPage, search.build, "Search by name or digest", "q", is_live=True),
    Route(
        "versions",
        "versions/",
        versions.VersionsPage,
        versions.build,
        "Versions of protocols, evaluator and suites, and their changes",
        section="data",
    ),
    Route(
        "metrics", "metrics/", metrics.MetricsPage, metrics.build, "Metrics, their formulas and terms", section="data"
    ),
    Route(
        "peaks",
        "peaks/",
        peaks.PeaksPage,
        peaks.build,
        "Peak rates of device classes by dtype, which hardware efficiency is held against, with their sources",
        section="data",
    ),
    Route("data", "data/", data.DataPage, _data, "Addresses of all data, and the nightly dump", is_live=True),
)
