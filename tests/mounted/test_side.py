"""One side in a real sandbox: exit codes, reports, guarded files, and what a candidate may try."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from tiny import CONFIG, RUNNER, SOURCE, task

from evaluator.judge.rejection import Rejection
from evaluator.mounted.side import ScriptSide
from evaluator.sandbox import Sandbox

pytestmark = pytest.mark.slow  # the sandbox starts in 3 s, then each side takes 0.2 s
LIMITS_S = {"compile": 120.0, "correctness": 120.0, "performance": 120.0}
IN_BUILD = "\nos.makedirs('build', exist_ok=True)\n"
WHILE_COMPILED = "\nif 'compile' in sys.argv:\n    "
WHILE_TIMED = "\nif 'performance' in sys.argv:\n    "
Opened = Callable[..., AbstractContextManager[ScriptSide]]


@pytest.fixture
def side(tmp_path: Path, sandbox: Sandbox) -> Opened:
    """side(source) → that source's side of the tiny task; other files by name."""

    @contextmanager
    def opened(source: str = SOURCE, pretend: bool = False, **files: str) -> Iterator[ScriptSide]:
        found = task(tmp_path, source__kernel_dot_py=source, **files)
        made = ScriptSide(found, found.files, sandbox, pretend, LIMITS_S)  # type: ignore[arg-type]
        yield made
        made.close()

    return opened


def reason(found: object) -> str:
    assert isinstance(found, Rejection), found
    return found.reason


def test_an_honest_source_passes_and_is_timed(side: Opened) -> None:
    with side() as it:
        assert (it.compile(), it.correctness()) == (None, None)
        found = it.performance()
        assert [asked.question for asked in it.exam_of("correctness")] == ["scale(3)"]
    assert not isinstance(found, Rejection)
    assert [(case.id, case.clock, case.time_ms) for case in found] == [("perf1,dtype=float16,n=8", "cuda_graph", 2.0)]
    assert "Correctness: PASS" in it.printed


def test_printing_pass_rescues_no_exit_code(side: Opened) -> None:
    with side(SOURCE.replace("2 * x", "0") + "print('Correctness: PASS')\n") as it:
        found = it.correctness()
    assert reason(found) == "check_failed"
    assert isinstance(found, Rejection)
    assert "exit code 1 of python3 scripts/task_runner.py correctness" in found.sentence


def test_printing_fail_fails_nothing_but_is_noted(side: Opened) -> None:
    with side(SOURCE + "print('Correctness: FAIL')\n") as it:
        assert it.correctness() is None
        assert it.printed_failures == {"correctness"}


def test_a_failure_that_is_drowned_in_noise_is_noted(side: Opened) -> None:
    with side(SOURCE + "print('Correctness: FAIL'); print('. ' * 100_000)\n") as it:
        assert it.correctness() is None
        assert it.printed_failures == {"correctness"}


def test_a_report_that_says_fail_fails_in_spite_of_the_exit_code(side: Opened) -> None:
    write = IN_BUILD + "open('build/correctness_report.json', 'w').write('{\"status\": \"fail\"}')\n"
    with side(SOURCE + write) as it:
        assert reason(it.correctness()) == "check_failed"


@pytest.mark.parametrize(
    ("stage", "expected"),
    [("compile", "compiler_error"), ("correctness", "check_failed"), ("performance", "command_failed")],
)
def test_an_exit_code_other_than_0_fails_its_stage(side: Opened, stage: str, expected: str) -> None:
    with side(SOURCE + "sys.exit(3)\n") as it:
        assert reason(getattr(it, stage)()) == expected


def test_a_crash_is_recognised_by_its_signal(side: Opened) -> None:
    with side(SOURCE + "os.abort()\n") as it:
        assert reason(it.correctness()) == "aborted"


def test_minus_one_with_exit_code_0_is_a_failed_case(side: Opened) -> None:
    with side(SOURCE.replace("COST, DTYPE, METHOD = 1.0", "COST, DTYPE, METHOD = -0.5")) as it:
        assert reason(it.performance()) == "case_failed"


def test_a_stale_report_is_none(side: Opened) -> None:
    """The committed one is not sent; one that an earlier command left is deleted."""
    with side(SOURCE + WHILE_TIMED + "os._exit(0)\n") as it:
        assert reason(it.performance()) == "no_report"
    early = IN_BUILD + WHILE_COMPILED + "open('build/performance_report.json', 'w').write('[]')\n"
    with side(SOURCE + early + WHILE_TIMED + "os._exit(0)\n") as it:
        assert it.compile() is None
        assert reason(it.performance()) == "no_report"


def test_a_report_that_is_a_link_is_none(side: Opened) -> None:
    link = (
        WHILE_TIMED + "os.makedirs('build'); os.symlink('/etc/passwd', 'build/performance_report.json'); os._exit(0)\n"
    )
    with side(SOURCE + link) as it:
        assert reason(it.performance()) == "no_report"


@pytest.mark.parametrize(
    ("misdeed", "expected"),
    [
        ("open('scripts/task_runner.py', 'a').write('# mine')", "protected_file"),
        ("os.remove('scripts/task_runner.py')", "protected_file"),
        ("os.rename('scripts', 's'); os.symlink('s', 'scripts')", "protected_file"),
        ("open('source/kernel.py', 'a').write('# another one from now on')", "protected_file"),
        ("os.rename('config.yaml', 'c'); os.symlink('c', 'config.yaml')", "protected_file"),
        ("open('scripts/json.py', 'w').write('')", "extra_file"),
        ("open('conftest.py', 'w').write('')", "extra_file"),
        ("os.makedirs('scripts/__pycache__'); open('scripts/__pycache__/json.cpython-311.pyc', 'w')", "extra_file"),
        ("os.symlink('/tmp', 'scripts/json')", "extra_file"),
    ],
)
def test_a_candidate_that_touches_the_tasks_files_is_caught_at_once(side: Opened, misdeed: str, expected: str) -> None:
    with side(SOURCE + f"\n{misdeed}\n") as it:
        assert reason(it.compile()) == expected


def test_a_task_whose_own_script_edits_a_file_is_caught_too(side: Opened) -> None:
    with side(scripts__task_runner_dot_py=RUNNER + "\n", config_dot_yaml=CONFIG + "# \n") as it:
        assert it.compile() is None
    edits = "open('config.yaml', 'a').write('#')\n" + RUNNER
    with side(scripts__task_runner_dot_py=edits) as it:
        assert reason(it.compile()) == "protected_file"


def test_scripts_may_write_below_build_and_data_anywhere(side: Opened) -> None:
    writes = "\nos.makedirs('build/gen', exist_ok=True)\nopen('build/gen/a.py', 'w')\nopen('gold.pt', 'w')\n"
    with side(SOURCE + writes) as it:
        assert it.compile() is None


def test_what_a_command_leaves_running_is_killed_and_counted(side: Opened) -> None:
    """It would write a report once the real one has been deleted."""
    daemon = WHILE_COMPILED + "if os.fork() == 0:\n        os.setsid()\n        import time; time.sleep(60)\n"
    with side(SOURCE + daemon) as it:
        assert it.compile() is None
        assert it.leftovers == 1


def test_a_command_without_end_is_out_of_time(tmp_path: Path, sandbox: Sandbox) -> None:
    found = task(tmp_path, source__kernel_dot_py=SOURCE + "\nwhile True: pass\n")
    for pretend, expected in ((False, "call_time"), (True, "host_budget")):
        it = ScriptSide(found, found.files, sandbox, pretend, dict.fromkeys(LIMITS_S, 1.0))  # type: ignore[arg-type]
        assert reason(it.correctness()) == expected
        it.close()


@pytest.mark.parametrize("file", ["mem", "fd/1", "environ", "maps"])
def test_the_worker_that_speaks_for_it_cannot_be_opened(side: Opened, file: str) -> None:
    """Its reply says the exit code; shell and worker are of the same user."""
    tries = f"""
shell = os.getppid()
worker = int(open(f"/proc/{{shell}}/stat").read().rpartition(")")[2].split()[1])
try:
    open(f"/proc/{{worker}}/{file}", "rb").read(1)
    sys.exit(7)
except PermissionError:
    pass
"""
    with side(SOURCE + tries) as it:
        assert it.compile() is None


def test_nothing_of_ours_is_on_a_native_commands_path(side: Opened) -> None:
    with side(SOURCE + "\nimport importlib.util\nassert importlib.util.find_spec('evaluator') is None\n") as it:
        assert it.compile() is None
