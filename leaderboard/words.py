"""Labels, marks and descriptions of statuses, gates, flags and other terms that pages show."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from evaluator.tasks import spec
from leaderboard.formatting import listed, printable
from leaderboard.tables import Cell
from runs.trust import Trust

AGENT_VERSION = "agent_version"  # the setting with the version of the agent
NO_MODEL = "none registered for this configuration"  # its settings may name one, or the agent needs none
OPERATOR_TYPES = {  # one name for what two benchmarks print in two ways
    "Activations": "Activation",
    "LinearAlgebra": "Linear algebra",
    "MatrixMultiply": "Matrix multiply",
    "Memory mgmt": "Memory management",
    "Random": "Random numbers",
    "SpatialOps": "Spatial operations",
}
ALL = "all"  # the leaderboard over all categories
CATEGORIES = {ALL: "All categories"} | {name: one.title for name, one in spec.CATEGORIES.items()}


def operator_type(printed: str) -> str:
    """The type of operator as it is shown, of what a benchmark prints or an address says."""
    return OPERATOR_TYPES.get(printed, printed)


def choices_of(present: Collection[str]) -> dict[str, str]:
    """The categories to choose from, with their labels: all together, and each of those present unless it is alone."""
    own = {slug: label for slug, label in CATEGORIES.items() if slug != ALL and slug in present}
    return {ALL: CATEGORIES[ALL]} | (own if len(own) > 1 else {})


def suite_name(title: str, slug: str) -> str:
    """The suite's title, or its slug as words (Native 24) where it has none."""
    return title or slug.replace("-", " ").capitalize()


class Word(NamedTuple):
    label: str
    tone: str  # good or bad: the candidate's; ours: not the candidate's; open: not ended
    mark: str
    meaning: str


STATUSES = {
    "passed": Word("passed", "good", "✓", "The candidate passed every gate."),
    "build_failed": Word(
        "build failed", "bad", "✕", "The source does not compile, or its entry point cannot be called."
    ),
    "wrong_output": Word("wrong output", "bad", "✕", "An output is wrong, or the kernel wrote outside its buffers."),
    "crashed": Word("crashed", "bad", "✕", "The process crashed or returned nothing."),
    "timed_out": Word("timed out", "bad", "✕", "Compiling or running took longer than the task allows."),
    "tampered": Word("tampered", "bad", "✕", "The candidate changed something protected, or forged a message."),
    "implausible": Word("implausible", "bad", "✕", "A measured time is impossible."),
    "not_produced": Word("not produced", "bad", "✕", "The agent submitted nothing for this task."),
    "not_judged": Word("not evaluated", "ours", "○", "This host cannot evaluate it. The candidate may be fine."),
    "errored": Word("errored", "ours", "!", "The evaluation failed through no fault of the candidate."),
    "cancelled": Word("cancelled", "ours", "○", "The attempt was cancelled before it had a result."),
    "queued": Word("queued", "open", "·", "Waiting for a worker."),
    "running": Word("running", "open", "▸", "A worker is evaluating it now."),
    "missing": Word("no result", "ours", "○", "There is no published result for this task."),
}

# Endings of agents' sessions, and the states of one that has not ended.
ENDINGS = {
    "finished": Word("finished", "good", "✓", "The agent ended its session itself."),
    "timed_out": Word("timed out", "ours", "○", "It ran out of time."),
    "gave_up": Word("gave up", "ours", "○", "It stopped before it reached its goal."),
    "spending_cap": Word("spending cap", "ours", "○", "One more model call could have exceeded its spending limit."),
    "failed": Word("failed", "bad", "✕", "Its program or its API endpoint failed."),
}
NO_SESSION_END = {
    "running": Word("running", "open", "▸", "The session is running."),
    "lost": Word("lost", "ours", "!", "Its worker stopped, or the agent could not start."),
}

GATES = {
    "source": "Only allowed source files, and no protected file changed.",
    "compile": "Compiles from scratch and can be called; also for gfx942 where the toolchain is installed.",
    "correctness": "Correct on every case and every draw, within its buffers, inputs unchanged.",
    "performance": "Timed in alternation with the baseline. On a CPU it only has to run.",
    "integrity": "No tampering with protected files, no forged messages, no impossible times.",
}

TRUST = {  # of runs, and doubts about results
    "claimed": Word(
        Trust.CLAIMED.label, "ours", "○", "Imported: measured elsewhere, and shown as its submitter states it."
    ),
    "run_here": Word(Trust.RUN_HERE.label, "good", "●", "Evaluated on our own hosts."),
    "reproduced": Word(
        Trust.REPRODUCED.label, "good", "✓", "Imported, and evaluated again on our hosts, with the same outcome."
    ),
    "held": Word(
        Trust.HELD.label,
        "open",
        "‖",
        "The source uses something that no kernel needs, a library did the work, or a time is doubtful: see the "
        "findings. Not ranked until a reviewer has looked at it.",
    ),
    "suspect": Word(
        Trust.SUSPECT.label,
        "open",
        "?",
        "Something looks wrong, and its submitter may reply. It counts until an audit decides.",
    ),
    "hacked": Word(Trust.HACKED.label, "bad", "✕", "It games the evaluation. It counts as not correct."),
}

FLAGS = {
    "hold": (TRUST["held"].label, TRUST["held"].meaning),
    "noisy": ("noisy", "Times vary too much, or were disturbed. Metrics use the end of the interval nearer to 1."),
    "host_bound": (
        "host bound",
        "Calls take much longer than the kernel itself, so a faster kernel makes little difference.",
    ),
    "censored": ("censored", "A case is faster than the clock can measure: its speedup is at least the value shown."),
    "script_timed": ("script timed", "Timed by the task's own script, not by our evaluator."),
    "functional": ("functional times", "Times on a CPU. They show that both sides ran, and enter no metric."),
    "order_dependent": ("order dependent", "Correct in one order of the lanes only, so it depends on scheduling."),
    "quick": (
        "quick check",
        "One session with few draws and the device clock alone. Such a record is never published.",
    ),
    "uncalibrated": ("uncalibrated", "The host's noise is unknown or above the limit. Its times are not ranked."),
}

QUADRANTS = {  # baseline and candidate on unseen cases, in the order in which they are drawn
    "both_pass": Word("both pass", "good", "✓", "Baseline and candidate are correct."),
    "opt_improvement": Word(
        "improved", "good", "+", "Only the candidate is correct: it handles more than the baseline."
    ),
    "both_fail": Word("both fail", "ours", "○", "Neither is correct: the case is beyond what the baseline supports."),
    "opt_regression": Word("regression", "bad", "✕", "Only the baseline is correct: the optimisation broke it."),
    "evaluation_error": Word(
        "no verdict", "ours", "!", "Our evaluation failed or is missing. Not counted in any rate."
    ),
}

CONFIG_CATEGORIES = {  # what an unseen case changes
    "edge": "edge",
    "scale_up": "scale up",
    "scale_down": "scale down",
    "alignment": "alignment",
    "asymmetric": "asymmetric",
    "production": "production",
}

RUN_STATES = {
    "draft": ("draft", "Not published: on no leaderboard, and it may still change."),
    "published": ("published", "Its results are on the leaderboards and change only if they are published again."),
    "withdrawn": ("withdrawn", "Removed from the leaderboards, but still readable here."),
}

SUBMISSION_STATES = {
    "received": Word("received", "open", "·", "Uploaded. Waiting to be checked."),
    "checking": Word("checking", "open", "▸", "The bundle is being checked."),
    "rejected": Word("rejected", "bad", "✕", "It has problems, which its submitter can see. Nothing was imported."),
    "accepted": Word(
        "accepted", "good", "✓", "Imported as a run. A maintainer publishes it or has it evaluated again."
    ),
    "verifying": Word("verifying", "open", "▸", "Our hosts are evaluating its candidates again."),
    "closed": Word("closed", "ours", "○", "No further steps."),
}
SUBMISSION_OUTCOMES = {
    "verified": "evaluated again here",
    "unverified": "without another evaluation",
    "taken_down": "taken down by its submitter",
}
AUDIT_ACTIONS = {  # of a submission, in the audit log
    "receive": "received",
    "declare": "facts declared",
    "reject": "rejected",
    "accept": "accepted",
    "verify": "verification started",
    "conclude": "verification ended",
    "decide": "decision made",
    "reply": "reply to an audit",
    "publish": "claims published",
    "withdraw": "claims withdrawn",
    "close": "closed",
}
VERDICTS = {
    "reproduced": Word(Trust.REPRODUCED.label, "good", "✓", "The claims were reproduced here."),
    "partly": Word("partly reproduced", "ours", "±", "At least half of the claims were reproduced here."),
    "not_reproduced": Word("not reproduced", "bad", "✕", "Most of the claims were not reproduced here."),
    "not_comparable": Word("not comparable", "ours", "○", "Nothing could be compared with the claims."),
    "stopped": Word("stopped", "ours", "○", "A maintainer stopped it: no verdict was given."),
}
TASK_VERDICTS = {
    "reproduced": Word(Trust.REPRODUCED.label, "good", "✓", "As claimed."),
    "faster": Word("faster", "good", "+", "Faster than claimed."),
    "slower": Word("slower", "bad", "−", "Slower than claimed."),
    "failed": Word("failed", "bad", "✕", "Claimed to pass, but failed here."),
    "not_comparable": Word("not comparable", "ours", "○", "Nothing to compare it with."),
}
REVIEWS = {
    "look_alike": "similar name",
    "duplicate": "same candidate as another submission",
    "expert": "source shipped with a task",
    "private_text": "private text in a source",
    "not_reproduced": "not reproduced",
    "appeal": "reply to an audit",
}
AUDITS = {
    "clean": Word("clean", "good", "✓", "Checked, nothing wrong."),
    "interesting": Word("interesting", "good", "+", "Checked, and worth reading."),
    "suspect": TRUST["suspect"],
    "hacked": TRUST["hacked"],
    "contaminated": Word("contaminated", "bad", "✕", "It used information it must not have. Not ranked."),
    "harness_fault": Word("harness fault", "ours", "!", "The number is wrong because of a fault of ours. Not ranked."),
}

ROLES = {"entry": "entry", "reference_line": "reference line"}


def role_note(role: str, *more: str) -> str:
    """The note beside an entry's name: its role unless it is a plain entry, and `more`."""
    return ", ".join(filter(None, ("" if role == "entry" else ROLES[role], *more)))


def word_cell(word: Word, value: str) -> Cell:
    """The word in its tone and with its mark; CSV and JSON carry the value."""
    return Cell(word.label, value, tone=word.tone, mark=word.mark)


def status_cell(status: str, url: str = "", note: str = "", audit: str = "") -> Cell:
    """The status and what an audit found, which stands first where it is bad: a hacked result is no green tick."""
    word, found = STATUSES[status], AUDITS.get(audit)
    if found and found.tone == "bad":
        word, note = found, ", ".join(filter(None, (word.label, note)))
    elif found and found.tone != "good":
        note = ", ".join(filter(None, (note, found.label)))
    return Cell(word.label, status, url, note, word.tone, word.mark)


def gate_text(gate: str, *, is_functional: bool, targets: Sequence[str]) -> str:
    """What the gate asked on this kind of device; `targets` are the others that the candidate was compiled for."""
    if gate == "compile":
        return f"Compiles from scratch{f', also for {listed(targets)},' if targets else ''} and can be called."
    if gate == "performance":
        return "Runs beside the baseline." if is_functional else "Timed in alternation with the baseline."
    return GATES[gate]


def agent_version(settings: dict[str, Any]) -> str | None:
    return str(settings[AGENT_VERSION]) if AGENT_VERSION in settings else None


def version_text(settings: dict[str, Any], agent_kind: str) -> str:
    """The version of the agent as text for people."""
    version = agent_version(settings)
    if agent_kind == "built_in" and version is None:
        return "the evaluator's, shown on each result's page; the version of a program that it starts is unknown"
    return printable(version or "not stated")


def settings_text(settings: dict[str, Any]) -> str:
    """The settings as one line of text, without the agent's version, which has a column of its own."""
    texts = {
        name: " and ".join(map(str, value)) or "none" if isinstance(value, list) else value
        for name, value in settings.items()
        if name != AGENT_VERSION
    }
    return printable(", ".join(f"{name.replace('_', ' ')} {text}" for name, text in sorted(texts.items())))
