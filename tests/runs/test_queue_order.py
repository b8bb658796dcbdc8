"""The order of the queue: fair between submitters whoever queued more, and as queued for whoever is alone."""

from __future__ import annotations

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection

from evaluator.records.record import PROTOCOL
from runs.models import Attempt, Host, Run
from runs.services import run_actions
from runs.services.leases import Lease, lease_next, record_verdict
from runs.services.queue_order import QueuePositions
from tests import factories
from tests.records import make_record
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db


def work_off(site: Site, most: int = 1000) -> list[Run]:
    """The runs of the attempts, in the order in which one host evaluates them."""
    found = []
    while len(found) < most and (lease := lease_next(host=site.host, worker="w")):
        record_verdict(lease=lease, record=make_record())
        found.append(Run.objects.get(results__attempts=lease.attempt_id))
    return found


def names(runs: list[Run]) -> str:
    return "".join(run.created_by.username if run.created_by else "-" for run in runs)


def user(name: str) -> User:
    return User.objects.create_user(name)


def test_who_queued_a_hundred_before_does_not_hold_up_who_has_two(site: Site) -> None:
    many, few = user("m"), user("f")
    for _ in range(10):
        site.new_run(actor=many)
    site.new_run(actor=few)
    assert names(work_off(site)) == "mfmf" + "m" * 18


def test_whoever_comes_later_begins_where_the_queue_is_and_three_take_turns(site: Site) -> None:
    first, second, third = user("a"), user("b"), user("c")
    for _ in range(4):
        site.new_run(actor=first)
    assert names(work_off(site, 3)) == "aaa"
    site.new_run(actor=second), site.new_run(actor=third)
    assert names(work_off(site)) == "abcabc" + "aaa"


def test_whoever_is_alone_is_served_in_the_order_of_queueing(site: Site) -> None:
    alone = user("a")
    runs = [site.new_run(actor=alone) for _ in range(3)]
    assert work_off(site) == [runs[0], runs[0], runs[1], runs[1], runs[2], runs[2]]


def test_what_commands_queue_is_of_one_more_submitter(site: Site) -> None:
    for _ in range(2):
        site.new_run(actor="a command")
    site.new_run(actor="another command"), site.new_run(actor=user("a"))
    assert names(work_off(site)) == "-a-a----"


def test_a_rerun_queues_behind_its_submitters_own_attempts_only(site: Site) -> None:
    many, few = user("m"), user("f")
    run = site.new_run(actor=few)
    work_off(site)
    for _ in range(3):
        site.new_run(actor=many)
    run_actions.rerun_results(results=run.results.all(), actor="test")
    assert names(work_off(site)) == "mfmf" + "mmmm"


def test_a_paused_run_holds_nobody_up_and_nobody_back(site: Site) -> None:
    paused = site.new_run(actor=user("a"))
    run_actions.pause_run(run=paused, actor="test")
    site.new_run(actor=user("b"))
    assert names(work_off(site)) == "bb"
    site.new_run(actor=user("c"))
    run_actions.resume_run(run=paused, actor="test")
    assert names(work_off(site)) == "acac"


def test_a_verification_counts_for_the_submitter_of_the_bundle(site: Site) -> None:
    submitter, maintainer = user("s"), user("m")
    claimed = factories.make_run(
        suite=site.suite, state="draft", origin="imported", bundle_digest=factories.sha256("bundle")
    )
    factories.make_submission(run=claimed, submitter=submitter, state="accepted")
    site.new_run(actor=submitter), site.new_run(actor=maintainer)
    again = Run.objects.create(
        configuration=site.configuration,
        suite=site.suite,
        device_class=site.device_class,
        protocol=PROTOCOL,
        verifies=claimed,
        created_by=maintainer,
    )
    assert QueuePositions().next_for(again) == 2, "behind the two of its submitter"


@pytest.mark.django_db(transaction=True)
def test_hosts_that_take_work_at_once_get_an_attempt_each(site: Site) -> None:
    hosts = [factories.make_host(device_class=site.device_class) for _ in range(6)]
    for _ in range(4):
        site.new_run()
    start, taken = threading.Barrier(len(hosts)), list[Lease | None]()

    def rival(host: Host) -> None:
        start.wait()
        taken.append(lease_next(host=host, worker=host.name))
        connection.close()

    threads = [threading.Thread(target=rival, args=(host,)) for host in hosts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({lease.attempt_id for lease in taken if lease}) == len(hosts)
    assert Attempt.objects.filter(status="running").count() == len(hosts)
