"""Stores a bundle of this benchmark as a run, with its records, sources and hosts: all of it or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from evaluator.bundles.archives.packing import slug
from evaluator.bundles.native.contents import MANIFEST
from evaluator.bundles.parsed import Bundle, BundledResult
from evaluator.bundles.problems import BundleError, BundleProblem
from evaluator.errors import TaskError, UsageError
from evaluator.records import record as records
from runs import archive, candidates, verdicts
from runs.errors import RunError
from runs.models import (
    Attempt,
    AuditEntry,
    Configuration,
    DeviceClass,
    Host,
    Result,
    Round,
    Run,
    Suite,
    Task,
    UnseenEvaluation,
)
from runs.services.audit_log import Actor, note
from runs.services.measurements import insert_measurements
from runs.services.sessions import store_session
from runs.services.unseen import cases_of, store
from runs.trust import Trust

IMPORTER = "import"  # stored as the worker's name
OTHER_TASKS = "Run it again on the current tasks: `python -m evaluator run`"
HOST_DIGITS = 16  # of a host's name: enough that nobody finds other facts with the same
FROM_SECRET = "the cases that follow from the secret"


@transaction.atomic
def import_run(*, bundle: Bundle, configuration: Configuration, actor: Actor) -> Run:
    """Return the run of a bundle, stored as a draft if it is new.

    Raises:
        BundleError: with every problem of the bundle, and everything in which it differs from this site.
    """
    return Run.objects.filter(bundle_digest=bundle.digest).first() or _written(bundle, configuration, actor)


def _written(bundle: Bundle, configuration: Configuration, actor: Actor) -> Run:
    problems = list(bundle.problems)
    suite, device_class, round = _suite(bundle, problems), _device_class(bundle, problems), _round(bundle, problems)
    if round is not None and device_class is not None:
        problems += [text for entry in bundle.entries for text in _other_cases(entry, round, device_class)]
    tasks = {task.path: task for task in suite.tasks.all()} if suite else {}
    if not candidates.is_library_line(configuration.agent):
        problems += [text for entry in bundle.entries if entry.task in tasks for text in _foreign(entry, tasks)]
    if problems or suite is None or device_class is None:
        raise BundleError(problems)
    run = Run.objects.create(
        configuration=configuration,
        suite=suite,
        device_class=device_class,
        repeat=bundle.repeat,
        round=round,
        protocol=bundle.protocol,
        origin=Run.Origin.IMPORTED,
        trust=Trust.CLAIMED,
        bundle_digest=bundle.digest,
        calibrations=[{"device": one.device, **verdicts.calibration_figures(one)} for one in bundle.calibrations],
        created_by=actor if isinstance(actor, User) else None,
    )
    for entry in bundle.entries:
        _write_entry(run, tasks[entry.task], entry)
    note(AuditEntry.Action.IMPORT, actor, f"bundle {bundle.digest[:12]}", run=run)
    return run


def _suite(bundle: Bundle, problems: list[BundleProblem]) -> Suite | None:
    """Return the suite of exactly these tasks; None, with a problem for each task that differs, if there is none."""
    suite = Suite.objects.filter(digest=bundle.suite_digest).first()
    if suite is not None and dict(suite.tasks.values_list("path", "digest")) == dict(bundle.tasks):
        return suite
    here = dict(Task.objects.filter(is_current=True).values_list("path", "digest"))
    for path, digest in bundle.tasks.items():
        if here.get(path) != digest:
            expected = f"{here[path]:.12}, its digest here" if path in here else "a task of this site"
            problems.append(BundleProblem(f"{MANIFEST}: tasks.{path}", f"{digest:.12}", expected, OTHER_TASKS))
    seen = f"{bundle.suite} with digest {bundle.suite_digest:.12}"
    problems.append(
        BundleProblem(f"{MANIFEST}: suite", seen, "a suite of this site with exactly these tasks", OTHER_TASKS)
    )
    return None


def _device_class(bundle: Bundle, problems: list[BundleProblem]) -> DeviceClass | None:
    """Return the device class of this slug, created if it is new; None, with a problem, if architectures differ.

    A new one is not public before its run is.
    """
    row = DeviceClass.objects.filter(slug=bundle.device_class).first()
    wrong = [
        name
        for name in bundle.architectures
        if name not in DeviceClass.Architecture or (row and name != row.architecture)
    ]
    if wrong or len(bundle.architectures) != 1:
        expected = row.architecture if row else f"one of {', '.join(DeviceClass.Architecture.values)}"
        seen = ", ".join(sorted(bundle.architectures)) or "none"
        hint = "" if row is None or row.is_public else "So a draft says: ask a maintainer to register the device class"
        problems.append(BundleProblem("records/: architecture", seen, expected, hint))
        return None
    (architecture,) = bundle.architectures
    is_functional = architecture == DeviceClass.Architecture.CPU
    named = {"title": bundle.device_class, "architecture": architecture, "is_functional": is_functional}
    return row or DeviceClass.objects.create(slug=bundle.device_class, is_public=False, **named)


def _round(bundle: Bundle, problems: list[BundleProblem]) -> Round | None:
    """Return the bundle's round, which must be revealed: before that, only the server can know its unseen cases."""
    if bundle.round is None:
        return None
    row = Round.objects.filter(secret_hash=bundle.round, revealed_at__isnull=False).first()
    if row is None:
        problems.append(
            BundleProblem(f"{MANIFEST}: round", f"{bundle.round:.12}", "the hash of a revealed round's secret")
        )
    return row


def _other_cases(entry: BundledResult, round: Round, device_class: DeviceClass) -> Iterator[BundleProblem]:
    """Yield a problem unless the unseen cases are those that follow from the round's secret for this site's task."""
    assert entry.unseen is not None
    place = f"unseen/{slug(entry.task)}.json"
    task = Task.objects.filter(path=entry.task, digest=entry.record.task.digest).first()
    try:
        expected = cases_of(round, candidates.spec_of(task), device_class) if task else ()
    except (RunError, TaskError, UsageError) as error:
        yield BundleProblem(place, f"cases that cannot be computed again ({error})", FROM_SECRET)
        return
    if task and {(case.case.id, case.category) for case in expected} != {
        (c.id, c.category) for c in entry.unseen.cases
    }:
        yield BundleProblem(place, "other cases", f"{FROM_SECRET} of {round}")


def _foreign(entry: BundledResult, tasks: Mapping[str, Task]) -> Iterator[BundleProblem]:
    """Yield a problem for each file that a candidate of this task may not have.

    Its record does not tell: the evaluator lets our lines of the library have the PyTorch module, and an upload may
    bring their files under another name.
    """
    task, files = tasks[entry.task], entry.candidate.ref_files
    allowed = f"only {', '.join(task.editable)}"
    for name in candidates.foreign_files(files, task):
        yield BundleProblem(f"candidates/{slug(entry.task)}/{name}", "a file that a candidate may not have", allowed)


def _write_entry(run: Run, task: Task, entry: BundledResult) -> None:
    record = entry.record
    files = candidates.archive_sources(entry.candidate)
    result = Result.objects.create(run=run, task=task, **candidates.columns(entry.candidate, files))
    if entry.session is not None:
        store_session(result, entry.session, entry.session_bytes)
    started_at = datetime.fromisoformat(record.started_at)
    attempt = Attempt.objects.create(
        result=result,
        number=1,
        queued_at=started_at,
        started_at=started_at,
        ended_at=started_at + timedelta(seconds=record.seconds.get("total", 0.0)),
        claimed_by=IMPORTER,
        host=_host(record, run.device_class),
        record_digest=archive.put(entry.record_bytes),
        **verdicts.attempt_columns(record, task.work),
    )
    insert_measurements(verdicts.measurements(attempt, record))
    if entry.unseen is not None and run.round is not None:
        begun_at = datetime.fromisoformat(entry.unseen.started_at)
        evaluation = UnseenEvaluation.objects.create(attempt=attempt, round=run.round, begun_at=begun_at)
        store(evaluation, entry.unseen, entry.unseen_bytes)


def _host(record: records.Record, device_class: DeviceClass) -> Host:
    """Return a row for the machine that the record describes; it takes no work from here.

    Runs share it if they say the same of it. What they prove of it counts once they are published.
    """
    facts = dict(record.host.facts)
    name = hashlib.sha256(repr([device_class.slug, *sorted(facts.items())]).encode()).hexdigest()[:HOST_DIGITS]
    about: dict[str, Any] = {"device_class": device_class, "is_enabled": False, "facts": facts, "is_public": False}
    about["note"] = "host of imported runs; no worker here"
    return Host.objects.get_or_create(name=f"{device_class.slug[:40]}-{name}", defaults=about)[0]
