"""Rounds: opened with a secret, revealed once, mirrored from tasks/rounds/ where they are public anyway."""

from __future__ import annotations

import hashlib
import io

import pytest
import yaml
from django.core.management import CommandError, call_command

from evaluator.unseen.generate import GENERATOR_VERSION, core_cases
from evaluator.unseen.rounds import read_round
from runs import candidates
from runs.errors import RunError
from runs.loading import catalog
from runs.models import AuditEntry, Round, Run, Suite
from runs.services import rounds, run_actions
from tests.factories import make_suite
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db


def output_of(name: str, *arguments: str) -> str:
    stdout = io.StringIO()
    call_command(name, *arguments, stdout=stdout)
    return stdout.getvalue()


def test_opening_tells_the_hash_and_nothing_else(site: Site) -> None:
    told = output_of("open_round", "autumn", "--suite", "two")
    opened = Round.objects.get()
    assert opened.secret_hash == hashlib.sha256(opened.secret.encode()).hexdigest()
    assert (opened.generator_version, opened.tasks_digest) == (GENERATOR_VERSION, site.suite.digest)
    assert all(text in told for text in (opened.secret_hash, opened.tasks_digest, GENERATOR_VERSION))
    assert opened.secret not in told
    assert not opened.is_revealed
    assert AuditEntry.objects.get().action == "open"


def test_two_rounds_have_two_secrets(site: Site) -> None:
    for slug in ("autumn", "winter"):
        rounds.open_round(slug=slug, suite=site.suite, actor="test")
    assert len(set(Round.objects.values_list("secret", flat=True))) == 2


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("autumn", "--suite", "none"), "no suite is named 'none'"),
        (("not a slug", "--suite", "two"), "not opened: Enter a valid"),
        (("taken", "--suite", "two"), "there is a round named taken already"),
    ],
)
def test_it_refuses_to_open_what_is_no_new_round(site: Site, arguments: tuple[str, ...], problem: str) -> None:
    rounds.open_round(slug="taken", suite=site.suite, actor="test")
    with pytest.raises(CommandError, match=problem):
        output_of("open_round", *arguments)
    assert Round.objects.count() == 1


def test_revealing_prints_a_file_from_which_everybody_gets_the_same_cases(site: Site) -> None:
    opened = rounds.open_round(slug="autumn", suite=site.suite, actor="test")
    told = output_of("reveal_round", "autumn", "--reason", "the quarter is over")
    about = yaml.safe_load(told)
    assert about == {
        "version": 1,
        "generator": GENERATOR_VERSION,
        "digest": opened.secret_hash,
        "secret": opened.secret,
    }
    for task in site.suite.tasks.all():
        for one in core_cases(candidates.spec_of(task), about["secret"].encode(), "small"):
            assert yaml.safe_dump(dict(one.case.axes), default_flow_style=True, sort_keys=False).strip()[1:-1] in told
    assert Round.objects.get().is_revealed
    entry = AuditEntry.objects.get(action="reveal")
    assert (entry.round, entry.actor_name, entry.reason) == (opened, "reveal_round", "the quarter is over")


def test_a_reveal_happens_once(site: Site) -> None:
    rounds.open_round(slug="autumn", suite=site.suite, actor="test")
    first = output_of("reveal_round", "autumn")
    at = Round.objects.get().revealed_at
    with pytest.raises(CommandError, match="revealed already"):
        output_of("reveal_round", "autumn")
    assert output_of("reveal_round", "autumn", "--again") == first
    assert (Round.objects.get().revealed_at, AuditEntry.objects.filter(action="reveal").count()) == (at, 1)
    with pytest.raises(CommandError, match="no round is named 'spring'; there are autumn"):
        output_of("reveal_round", "spring")


def test_no_round_is_revealed_while_somebody_is_at_work_in_it(site: Site) -> None:
    opened = rounds.open_round(slug="autumn", suite=site.suite, actor="test")
    run = site.new_run(round=opened)
    with pytest.raises(RunError, match="2 open attempts"):
        rounds.reveal_round(round=opened, actor="test")
    run_actions.cancel_results(results=run.results.all(), actor="test")
    assert rounds.reveal_round(round=opened, actor="test").is_revealed


def test_a_secret_round_is_for_the_tasks_it_was_opened_for(site: Site) -> None:
    opened = rounds.open_round(slug="autumn", suite=make_suite(), actor="test")
    with pytest.raises(RunError, match="lacks hip2hip/arena/GELU"):
        site.new_run(round=opened)
    assert not Run.objects.exists()


def test_the_demos_round_is_mirrored_revealed_and_for_every_suite() -> None:
    mirrored = catalog.mirror()
    demo = Round.objects.get(slug="demo")
    assert mirrored.rounds == ("demo",)
    assert (demo.is_revealed, demo.secret_hash) == (True, read_round("demo").digest)
    assert demo.suite == Suite.objects.get(name="native-24")
    catalog.mirror()
    assert AuditEntry.objects.filter(round=demo).count() == 2


def test_a_mirrored_round_with_another_secret_is_refused(site: Site) -> None:
    rounds.open_round(slug="demo", suite=site.suite, actor="test")
    with pytest.raises(RunError, match="another secret"):
        catalog.mirror()
    assert not Suite.objects.filter(name="smoke").exists()
