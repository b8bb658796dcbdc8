"""A suite with a round of unseen cases, and what came out on them."""

from __future__ import annotations

from itertools import cycle

import pytest

from tests import factories

PAGE = "/generalization/native/all/cpu-x86_64/"
GPU_PAGE = "/generalization/native/all/h100-sxm/"
RIGHT = (("edge", True, True), ("scale_up", True, True))
BROKEN = (("edge", True, True), ("scale_up", True, False))
BOTH_FAIL = (("edge", True, True), ("scale_up", False, False))
IMPROVED = (("edge", False, True), ("scale_up", True, True))
ERROR = (("edge", True, True), ("scale_up", True, None))


@pytest.fixture
def make_site(db):
    """A suite of so many tasks with a round; the answer makes public runs on it, an outcome for each task in turn."""

    def make(tasks: int = 12, *, revealed: bool = True, slug: str = "autumn"):
        made = [
            factories.make_task(category=category)
            for category, _ in zip(cycle(("hip2hip", "torch2hip", "triton2triton")), range(tasks), strict=False)
        ]
        suite = factories.make_suite(made, name="native", title="Native")
        values = {} if revealed else {"revealed_at": None}
        round = factories.make_round(suite=suite, slug=slug, **values)

        def run(*outcomes, statuses=("passed",), log_ratio=None, **values):
            made = factories.make_run(suite=suite, round=round, state="published", **values)
            results = made.results.order_by("task__path")
            for result, cases, status in zip(results, cycle(outcomes), cycle(statuses), strict=False):
                attempt = factories.publish(factories.make_attempt(result=result, status=status))
                if cases is not None:
                    factories.make_unseen(attempt, *cases, log_ratio=log_ratio)
            return made

        run.round, run.suite = round, suite
        return run

    return make


def named(page, name):
    return next(entry for entry in page.entries if entry.agent == name)
