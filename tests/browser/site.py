"""A site with something of everything to look at."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from typing import NamedTuple

from evaluator import codec
from evaluator.records.record import ISA_NUMBERS, Finding, IsaReport
from runs import archive, guards
from runs.loading.published import load_published
from runs.models import AuditEntry, Result, Run
from tests import factories
from tests.browser.iteration_site import make_iteration_places
from tests.browser.session_site import make_session_places
from tests.browser.speed_site import make_speed_places
from tests.browser.submission_site import make_submission_places
from tests.browser.task_site import make_task_place
from tests.browser.unseen import make_unseen_places
from tests.records import make_gpu_record, make_record

BASELINE = "".join(f"line {number} of the baseline\n" for number in range(40))


class Site(NamedTuple):
    run: Run
    running: Run
    result: Result
    addresses: list[str]


def make_site() -> Site:
    """Rows of a past that never was, made in an order in which no site would publish them: so without the guards."""
    with guards.lifted():
        return _made()


def _made() -> Site:
    load_published()
    source = archive.put(BASELINE.encode())
    tasks = [
        factories.make_task(category=category, editable=["kernel.hip"], files={"kernel.hip": source})
        for category in ("hip2hip", "torch2hip", "triton2triton")
        for _ in range(2)
    ]
    suite = factories.make_suite(tasks, name="smoke", title="Smoke")
    factories.make_host(name="local", seen_at=datetime.now(UTC))
    timed = _timed_result()
    run = _public_run(suite, "Block tuner with a rather long name", ["wrong_output", "build_failed", *["passed"] * 4])
    _public_run(suite, "Half done", ["errored", None, *["passed"] * 4])
    _public_run(suite, "Baseline", ["passed"] * 6, role="reference_line")
    running = factories.make_run(suite=suite, status="running")
    result = _recorded(run.results.get(task=tasks[2]))
    AuditEntry.objects.create(actor_name="admin", action="publish", run=run, reason="first light")
    addresses = [*_addresses(run, running, result, tasks[0].path), *_results(timed), *make_unseen_places()]
    addresses += [*make_speed_places(), *make_task_place(), *make_submission_places()]
    addresses += [*make_session_places(), *make_iteration_places()]
    return Site(run, running, result, addresses)


def _timed_result() -> Result:
    """On the device clock, all of it made up; beside it a host that is quarantined and not accepted."""
    device = factories.make_device_class(slug="h100-sxm", title="H100", architecture="sm_90", is_functional=False)
    figures = {"accepted": False, "e0_ns": 1300.0, "aa_sd": 0.0071, "aa_bias": -0.0004, "floors": {"10-50us": 0.0082}}
    broken = {"quarantined_at": factories.NOON, "quarantine_reason": "known good: crashed in 2.0 s, expected passed"}
    host = factories.make_host(name="h100-1", device_class=device, is_accepted=False, calibration=figures, **broken)
    for day, is_accepted in ((1, True), (9, False)):
        made = {"made_at": factories.NOON.replace(day=day), "is_accepted": is_accepted}
        noise = figures | {"aa_sd": 0.0032 * day**0.4}
        factories.make_calibration(host=host, figures=noise, facts={"torch": f"2.{day}"}, **made)
    task = factories.make_task(category="triton2triton")
    run = factories.make_run(suite=factories.make_suite([task]), device_class=device, with_results=False)
    result = factories.make_result(run=run, task=task)
    factories.make_recorded_attempt(result=result, record=make_gpu_record())
    return result


def _results(timed: Result) -> list[str]:
    return [f"/result/{timed.pk}/", f"/result/{timed.pk}/explore/times/"]


def _public_run(suite, name: str, statuses: list[str | None], role: str = "entry") -> Run:  # type: ignore[no-untyped-def]
    configuration = factories.make_configuration(agent=factories.make_agent(name=name), role=role)
    run = factories.make_run(suite=suite, configuration=configuration, state="published")
    for result, status in zip(run.results.order_by("task__path"), statuses, strict=True):
        if status is not None:
            factories.publish(factories.make_attempt(result=result, status=status))
    return run


def _recorded(result: Result) -> Result:
    """With a source of its own, a record, and an older attempt."""
    record = make_record(
        findings=(Finding("integrity", "left_child", "A child was left behind and ended."),),
        isa=tuple(_kernel(*both) for both in product(("baseline", "candidate"), ("gfx942", "gfx950"))),
        isa_checked={"gfx942": "compiled", "gfx950": "compiled"},
        log="warning: unused variable\n" * 5,
    )
    changed = BASELINE.replace("line 20 of the baseline", "line 20 of the candidate")
    result.candidate_files = {"kernel.hip": archive.put(changed.encode())}
    result.save()
    digest = archive.put(codec.dumps(record).encode())
    factories.publish(factories.make_attempt(result=result, status="passed", record_digest=digest))
    return result


def _kernel(side: str, target: str) -> IsaReport:
    """One of the baseline's, and a candidate's that needs fewer registers, more LDS and some scratch."""
    numbers = dict.fromkeys(ISA_NUMBERS, 4)
    if side == "candidate":
        numbers |= {"vgpr": 3, "lds_bytes": 65_536, "scratch_bytes": 64}
    return IsaReport(side, target, "matrix_kernel", "fp16, BLOCK_M=128, BLOCK_N=64, n%16=0", None, numbers)  # type: ignore[arg-type]


def _addresses(run: Run, running: Run, result: Result, task: str) -> list[str]:
    """Every kind of page there is."""
    board = "/board/smoke/all/cpu-x86_64/"
    open_result, model = running.results.first(), run.configuration.model
    assert open_result is not None
    assert model is not None
    return [
        *("/", board, "/board/smoke/hip2hip/cpu-x86_64/", "/tasks/", f"/task/{task}/", "/runs/?state=published"),
        *(f"/run/{run.pk}/", f"/run/{running.pk}/", f"/result/{result.pk}/", f"/result/{open_result.pk}/"),
        *("/queue/", "/hosts/", f"/result/{result.pk}/attempts/", "/history/smoke/all/cpu-x86_64/"),
        *("/agents/", f"/configuration/{run.configuration.slug}/", f"/agent/{run.configuration.agent.slug}/"),
        *(f"/model/{model.slug}/", "/search/", "/search/?q=kernel", f"/search/?q={result.candidate_digest[:12]}"),
        *("/agentkernelarena/", "/agentkernelarena/paper/", "/agentkernelarena/paper/explore/speeds_hip2hip/"),
        *("/kernelbench-x/", "/kernelbench-x/explore/correct/", "/kernelbench-x/paper/", "/claims/"),
        *("/analysis/", "/failures/", "/failures/explore/outcomes/", "/behaviour/", "/noise/", "/noise/explore/aa/"),
        *("/cost/", "/cost/explore/hip2hip/"),
        *("/portability/", f"/portability/?configuration={run.configuration.slug}", "/versions/"),
        *("/published/", "/published/agentkernelarena-main-results/", "/metrics/", "/peaks/", "/data/"),
        *(f"{board}explore/rates/", f"/result/{result.pk}/explore/times/"),
    ]
