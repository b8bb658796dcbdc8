"""Sessions of several versions on a device with a clock, whose sources can be rebuilt, and a corpus of pairs."""

from __future__ import annotations

from evaluator.records.reasons import Status
from evaluator.tasks.candidate import Candidate
from evaluator.workbench import diff_of
from runs import archive
from tests import factories
from tests.agent_sessions import make_iteration

HEAD = "import triton.language as tl\n\n\n@triton.jit\ndef kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n"
STEPS = (
    "    offs = tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + offs)\n",
    "    offs = tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + offs, mask=offs < n)\n",
    "    offs = tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0).to(tl.float32)\n",
    "    offs = tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + offs, mask=offs < n).to(tl.float32)\n    s = tl.sum(x)\n",
)
OUTCOMES = (
    ((Status.BUILD_FAILED, None), (Status.PASSED, 1.16), (Status.PASSED, 1.58)),
    ((Status.PASSED, 0.84), (Status.PASSED, 1.44)),
    ((Status.WRONG_OUTPUT, None), (Status.CRASHED, None), (Status.PASSED, 0.97)),
    ((Status.PASSED, 2.31), (Status.WRONG_OUTPUT, None)),
    ((Status.TIMED_OUT, None),),
)


def make_iteration_places() -> list[str]:
    device = factories.make_device_class(slug="h200-sxm", title="H200", architecture="sm_90", is_functional=False)
    start = archive.put((HEAD + "    pass\n").encode())
    made = {"category": "triton2triton", "editable": ["kernel.py"], "files": {"kernel.py": start}}
    tasks = [factories.make_task(**made) for _ in range(len(OUTCOMES) * 2)]
    suite = factories.make_suite(tasks, name="iterated", title="Iterated")
    for name in ("Refiner", "A repairer with a rather long name"):
        configuration = factories.make_configuration(agent=factories.make_agent(name=name))
        run = factories.make_run(
            suite=suite, state="published", status="passed", device_class=device, configuration=configuration
        )
        sessions = [
            _session(result, outcomes)
            for result, outcomes in zip(run.results.order_by("pk"), OUTCOMES * 2, strict=True)
        ]
    pair = sessions[0].iterations.get(number=2)
    claim = factories.make_claimed_pair()
    return [
        *("/iterations/", "/iterations/iterated/all/h200-sxm/", "/iterations/iterated/all/h200-sxm/?carry=best"),
        *("/iterations/iterated/all/h200-sxm/explore/rescued/", "/iterations/smoke/all/cpu-x86_64/"),
        *("/pairs/", "/pairs/?origin=corpora&task=abs", f"/pairs/version/{pair.pk}/", f"/pairs/claim/{claim.pk}/"),
    ]


def _session(result, outcomes):  # type: ignore[no-untyped-def]
    before, versions = {"kernel.py": HEAD + "    pass\n"}, []
    for number, (status, speedup) in enumerate(outcomes, 1):
        after = {"kernel.py": HEAD + STEPS[number - 1 if status is not Status.CRASHED else 3]}
        digest = Candidate({path: text.encode() for path, text in after.items()}, "").digest
        changed = {"speedup": speedup, "diff": diff_of(before, after), "digest": digest}
        versions.append(make_iteration(number, status, **changed))
        before = after
    return factories.make_session(result, iterations=tuple(versions))
