"""Schemathesis sends what the schema allows and what it does not: the schema declares every response."""

from __future__ import annotations

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from leaderboard.queries.public_rows import COLLECTIONS
from leaderboard.routes import ROUTES
from tests import factories

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 5  # of each address and mode; some 400 requests, 20 s with another job beside
BOUNDED = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def application():
    """As a server calls it, but that the test's own connection stays open between requests."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield get_wsgi_application()
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def parts(db):
    """Of addresses: what there is."""
    suite = factories.make_suite(name="smoke")
    run = factories.make_run(suite=suite, status="passed", state="published", round=factories.make_round(suite=suite))
    for result in run.results.all():
        factories.make_unseen(result.published_attempt, ("edge", True, True))
    category, source, name = suite.tasks.first().path.split("/")
    slugs = {kind: getattr(run.configuration, kind).slug for kind in ("agent", "model")}
    return {
        "task": {"category": category, "source": source, "name": name},
        "run": {"run": run.pk},
        "result": {"result": run.results.first().pk},
        **{name: {"slug": slug} for name, slug in {**slugs, "configuration": run.configuration.slug}.items()},
        **{
            name: {"suite": "smoke", "category": "all", "device": "cpu-x86_64"}
            for name in ("board", "distribution", "efficiency", "compare", "generalization")
        },
    }


@pytest.mark.slow
def test_every_response_is_one_that_the_schema_declares(parts, application) -> None:
    schema = schemathesis.openapi.from_wsgi("/api/v1/schema.json", application)
    tried = []
    for found in schema.get_all_operations():
        operation = found.ok()
        name = operation.definition.raw["operationId"]
        conforms(operation.as_strategy(path_parameters=parts.get(name)))
        if name in parts:
            conforms(operation.as_strategy())  # of what there is not
        if name.startswith("rows_"):  # numbers and days can be wrong, any text is a text
            conforms(operation.as_strategy(GenerationMode.NEGATIVE))
        tried.append(name)
    assert set(tried) == {route.name for route in ROUTES} | {f"rows_{one.name}" for one in COLLECTIONS}


def conforms(strategy) -> None:
    @BOUNDED
    @given(strategy)
    def ask(case) -> None:
        case.call_and_validate(checks=CHECKS, headers={"Accept-Encoding": "identity"})

    ask()
