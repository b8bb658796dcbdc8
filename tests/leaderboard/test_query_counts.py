"""Each page needs a fixed number of queries, six at most with that for its ETag, however much there is."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.loading.published import load_published
from tests import factories

MOST = 6
COUNTS = {
    "/": 5,  # and the counter of changes, where what stands on boards may be kept: outside of a transaction
    "/board/smoke/all/cpu-x86_64/": 6,
    "/board/smoke/all/cpu-x86_64/?as_of=2026-11-02": 6,
    "/board/smoke/all/cpu-x86_64/?operator=matmul&ranks=cut": 6,
    "/board/smoke/all/cpu-x86_64/badge.svg": 6,
    "/board/smoke/all/cpu-x86_64/embed/table/entries/": 6,
    "/history/smoke/all/cpu-x86_64/": 5,
    "/sitemap.xml": 6,
    "/distribution/smoke/all/cpu-x86_64/": 5,
    "/attribution/smoke/all/cpu-x86_64/": 6,
    "/efficiency/smoke/all/cpu-x86_64/": 5,  # and one more for what was timed, on a device with a clock
    "/quality/smoke/all/cpu-x86_64/": 6,
    "/compare/smoke/all/cpu-x86_64/": 5,
    "/generalization/": 3,
    "/generalization/smoke/all/cpu-x86_64/": 6,
    "/generalization/smoke/hip2hip/cpu-x86_64/": 6,
    "/api/v1/generalization/smoke/all/cpu-x86_64/results.csv": 6,
    "/tasks/": 3,
    "/tasks/?operator=matmul": 3,
    "/task/hip2hip/arena/measured/": 6,
    "/agents/": 4,
    "/agent/one/": 5,
    "/model/one/": 5,
    "/configuration/one/": 4,
    "/search/?q=kernel": 5,
    "/search/?q=0123456789": 6,
    "/runs/": 2,
    "/run/{run}/": 5,
    "/run/{run}/progress/": 5,
    "/result/{result}/": 6,  # one of them for the audit that stands on it
    "/agentkernelarena/": 4,  # and one more for claims, if a run was handed in
    "/agentkernelarena/paper/": 2,
    "/kernelbench-x/paper/": 5,
    "/kernelbench-x/": 6,  # one of them for claims, as a corpus was handed in
    "/claims/": 2,
    "/analysis/": 2,
    "/failures/": 4,
    "/behaviour/": 6,
    "/iterations/": 4,
    "/iterations/smoke/all/cpu-x86_64/": 5,
    "/pairs/": 2,
    "/pairs/?origin=corpora": 2,
    "/pairs/version/{pair}/": 2,
    "/pairs/claim/{claim}/": 2,
    "/noise/": 3,
    "/portability/": 5,
    "/portability/?configuration=one": 6,
    "/versions/": 4,
    "/cost/": 4,
    "/queue/": 4,
    "/hosts/": 1,
    "/result/{result}/attempts/": 4,
    "/result/{result}/session/": 2,
    "/submit/": 1,
    "/submission/{submission}/": 6,
    "/audits/": 2,
    "/published/": 2,
    "/published/agentkernelarena-main-results/": 3,
    "/metrics/": 1,
    "/peaks/": 1,
    "/data/": 0,
}


def fill(entries: int, tasks: int) -> dict[str, int]:
    """Public runs of so many entries on so many tasks, each with an older attempt, a host, and a draft in the queue."""
    cases = [{"id": f"cols={n},rows=4", "profile": "small", "axes": {"rows": 4, "cols": n}} for n in range(1, 5)]
    made = [
        factories.make_task(name="measured", cases=cases, provenance={"operator_type": "matmul"}),
        *(factories.make_task(cases=cases) for _ in range(tasks - 1)),
    ]
    suite = factories.make_suite(made, name="smoke")
    round = factories.make_round(suite=suite)
    agent, model = factories.make_agent(slug="one"), factories.make_model_version(slug="one")
    for number in range(entries):
        slug, settings = f"one-{number}" if number else "one", {"number": number}
        configuration = factories.make_configuration(slug=slug, agent=agent, model=model, settings=settings)
        run = factories.make_run(
            suite=suite, configuration=configuration, status="passed", state="published", round=round
        )
        for result in run.results.all():
            factories.make_unseen(result.published_attempt, ("edge", True, True), ("alignment", True, False))
            factories.make_attempt(result=result, status="wrong_output")
            factories.make_session(result)
        factories.make_host()
        submission = factories.make_submission(run=run, submitter=factories.make_user())
        factories.make_verification(run, ["reproduced"] * tasks)
        factories.make_audit(run.results.first())
        factories.make_review(submission, decision="Another.", closed_at=factories.NOON, closed_by_name="admin")
    factories.make_run(suite=suite, status="queued")
    later = run.results.first().session.iterations.get(number=2)
    claim = factories.make_claimed_pair()
    made = {"submission": submission.pk, "run": run.pk, "result": run.results.first().pk}
    return made | {"pair": later.pk, "claim": claim.pk}


@pytest.mark.parametrize(("entries", "tasks"), [(2, 2), (6, 12)], ids=["small", "large"])
def test_every_page_asks_as_often_as_is_written_here(db, client, entries, tasks) -> None:
    """Over one filling of the database: making it costs more than all the pages."""
    load_published()
    filled = fill(entries, tasks)
    asked = {address: questions(client, address.format(**filled)) for address in COUNTS}
    wrong = {address: found for address, found in asked.items() if len(found) != COUNTS[address]}
    assert wrong == {}
    assert max(COUNTS.values()) <= MOST


def questions(client, address: str) -> list[str]:
    """The beginning of each."""
    with CaptureQueriesContext(connection) as captured:
        response = client.get(address)
    assert response.status_code == 200, address
    return [query["sql"][:150] for query in captured]
