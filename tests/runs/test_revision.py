"""Whatever changes what is public counts, once it is committed; what is only alive does not."""

from __future__ import annotations

import pytest
from django.db import transaction

from runs.models import Attempt, Revision
from runs.services.hosts import host_seen, host_started
from runs.services.publishing import publish_run, withdraw_run
from runs.services.registry import save_row
from tests import factories


def number() -> int:
    return Revision.objects.values_list("number", flat=True).first() or 0


@pytest.fixture
def changes(transactional_db):
    """How far the counter goes while something is done and committed."""

    def count(do) -> int:
        before = number()
        do()
        return number() - before

    return count


def test_a_first_change_counts_too(changes) -> None:
    assert changes(factories.make_agent) == 1


def test_publish_withdraw_and_rename_count(changes) -> None:
    run = factories.make_run(status="passed")
    assert changes(lambda: publish_run(run=run, actor="test")) == 1
    assert changes(lambda: withdraw_run(run=run, actor="test", reason="wrong")) == 1
    agent = run.configuration.agent
    agent.name = "Another name"
    assert changes(lambda: save_row(row=agent)) == 1
    assert changes(factories.make_agent().delete) == 1


def test_signs_of_life_do_not_count(changes) -> None:
    host, run = factories.make_host(), factories.make_run(status="queued")
    assert changes(lambda: host_seen(host=host)) == 0
    assert changes(lambda: Attempt.objects.filter(result__run=run).update(status="queued")) == 0


def test_that_a_host_is_accepted_counts_although_the_row_is_written_in_the_database(changes) -> None:
    host = factories.make_host()
    assert changes(lambda: host_started(host=host, facts={}, calibration={})) == 1


def test_a_change_that_is_undone_does_not_count(changes) -> None:
    def undone() -> None:
        with transaction.atomic():
            factories.make_agent()
            transaction.set_rollback(True)

    assert changes(undone) == 0


def test_a_transaction_counts_once(transactional_db) -> None:
    with transaction.atomic():
        first = number()
        factories.make_run()
    assert number() == first + 1
