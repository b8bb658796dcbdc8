"""What statuses, gates and flags are called on pages, with a mark beside the colour and a sentence for people."""

from __future__ import annotations

from typing import NamedTuple

from leaderboard.tables import Cell

ALL = "all"  # the board over every category
CATEGORIES = {
    ALL: "All categories",
    "hip2hip": "HIP to HIP",
    "torch2hip": "PyTorch to HIP",
    "triton2triton": "Triton to Triton",
}


def suite_name(title: str, slug: str) -> str:
    """Its title; of a suite without one its name as words: Native 24."""
    return title or slug.replace("-", " ").capitalize()


class Word(NamedTuple):
    label: str
    tone: str  # good, bad: the candidate's; ours: says nothing about it; open: not ended
    mark: str
    meaning: str


STATUSES = {
    "passed": Word("passed", "good", "✓", "Every gate let the candidate through."),
    "build_failed": Word("build failed", "bad", "✕", "The source does not build, or nothing in it can be called."),
    "wrong_output": Word("wrong output", "bad", "✕", "A case came out wrong, or the kernel wrote where it may not."),
    "crashed": Word("crashed", "bad", "✕", "The process died, or gave no answer."),
    "timed_out": Word("timed out", "bad", "✕", "Building or running took longer than the task allows."),
    "tampered": Word("tampered", "bad", "✕", "The candidate changed what it may not change, or forged a message."),
    "implausible": Word("implausible", "bad", "✕", "A time that cannot be true."),
    "not_produced": Word("not produced", "bad", "✕", "The agent handed in nothing for this task."),
    "not_judged": Word("not judged", "ours", "○", "This host cannot judge it. That says nothing about the candidate."),
    "errored": Word("errored", "ours", "!", "The evaluation failed through no fault of the candidate."),
    "cancelled": Word("cancelled", "ours", "○", "A person ended the attempt before it had an answer."),
    "queued": Word("queued", "open", "·", "It waits for a worker."),
    "running": Word("running", "open", "▸", "A worker is evaluating it now."),
    "missing": Word("no answer", "ours", "○", "There is no published answer for this task."),
}

# How an agent's session ended, and what is said of one that has not.
ENDINGS = {
    "finished": Word("finished", "good", "✓", "The agent ended its session itself."),
    "timed_out": Word("timed out", "ours", "○", "Its time was over."),
    "gave_up": Word("gave up", "ours", "○", "It stopped before it had what it wanted."),
    "spending_cap": Word("spending cap", "ours", "○", "One more answer could have cost more than it was allowed to."),
    "failed": Word("failed", "bad", "✕", "Its program or its endpoint failed in the middle."),
}
NO_SESSION_END = {
    "running": Word("at work", "open", "▸", "The session goes on."),
    "lost": Word("lost", "ours", "!", "Its worker stopped, or the agent could not begin."),
}

GATES = {
    "source": "Only files it may bring, sources only, nothing protected changed.",
    "compile": "Builds from scratch and can be called; where the toolchain is there, also for gfx942.",
    "correctness": "Right on every case and every draw, inside its buffers, inputs untouched.",
    "performance": "Timed beside the baseline. On a CPU it only has to run.",
    "integrity": "Nothing protected changed meanwhile, no forged message, no impossible time.",
}

FLAGS = {
    "hold": (
        "on hold",
        "The source uses something no kernel needs, or a time is doubtful: see the findings. Valid, not ranked until a "
        "person has looked.",
    ),
    "noisy": ("noisy", "Times spread too widely, or were disturbed. Metrics take the interval's end nearer to 1."),
    "host_bound": (
        "host bound",
        "Calls take much longer than the device works on them: a faster kernel hardly shows.",
    ),
    "censored": ("censored", "A case is faster than the clock can tell: its ratio is at least what is shown."),
    "script_timed": ("script timed", "Timed by the task's own script, not by our judge."),
    "functional": ("functional times", "Times of a CPU that stands in for a GPU. They enter no metric."),
    "order_dependent": ("order dependent", "Right in one order of the lanes only: it relies on luck."),
    "uncalibrated": ("uncalibrated", "The host's noise is unknown or above the limit, so its times are not ranked."),
}

QUADRANTS = {  # baseline and candidate on unseen cases, in the order in which they are drawn
    "both_pass": Word("both pass", "good", "✓", "Baseline and candidate are right."),
    "opt_improvement": Word("improved", "good", "+", "Only the candidate is right: it can do more than the baseline."),
    "both_fail": Word("both fail", "ours", "○", "Neither is right: beyond what the baseline was made for."),
    "opt_regression": Word("regression", "bad", "✕", "Only the baseline is right: the optimisation broke it."),
    "evaluation_error": Word("no verdict", "ours", "!", "Our evaluation failed, or has not come: in no denominator."),
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
    "draft": ("draft", "Not published: on no board, and it may still change."),
    "published": ("published", "Its answers stand on the boards and change only by another publication."),
    "withdrawn": ("withdrawn", "Taken off the boards; it stays readable here."),
}

SUBMISSION_STATES = {
    "received": Word("received", "open", "·", "Its bytes are here. It waits for its check."),
    "checking": Word("checking", "open", "▸", "It is being read."),
    "rejected": Word("rejected", "bad", "✕", "It has problems, all of which its submitter sees. Nothing was written."),
    "accepted": Word("accepted", "good", "✓", "It is a run, which a maintainer publishes or has evaluated again."),
    "verifying": Word("verifying", "open", "▸", "Hosts of ours evaluate its candidates again."),
    "closed": Word("closed", "ours", "○", "Nothing is left to do."),
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
    "decide": "question decided",
    "answer": "audit answered",
    "close": "closed",
}
VERDICTS = {
    "reproduced": Word("reproduced", "good", "✓", "What was claimed was measured here, too."),
    "partly": Word("partly reproduced", "ours", "±", "At least half of what was claimed was measured here."),
    "not_reproduced": Word("not reproduced", "bad", "✕", "Most of what was claimed was not measured here."),
    "not_comparable": Word("not comparable", "ours", "○", "Nothing could be held against the claims."),
}
TASK_VERDICTS = {
    "reproduced": Word("reproduced", "good", "✓", "As claimed."),
    "faster": Word("faster", "good", "+", "Better than claimed."),
    "slower": Word("slower", "bad", "−", "Slower than claimed."),
    "failed": Word("failed", "bad", "✕", "Claimed to pass, turned away here."),
    "not_comparable": Word("not comparable", "ours", "○", "Nothing to hold it against."),
}
REVIEWS = {
    "look_alike": "look-alike name",
    "duplicate": "candidate of somebody else",
    "expert": "bundled source handed in",
    "private_text": "private text in a source",
    "not_reproduced": "not reproduced",
    "appeal": "answer to an audit",
}
AUDITS = {
    "clean": Word("clean", "good", "✓", "Looked at, nothing wrong."),
    "interesting": Word("interesting", "good", "+", "Looked at, and worth a look."),
    "suspect": Word("suspect", "open", "?", "Something looks wrong; the submitter may answer."),
    "hacked": Word("hacked", "bad", "✕", "It games the evaluation. In no rank."),
    "contaminated": Word("contaminated", "bad", "✕", "It knew what it should not. In no rank."),
    "harness_fault": Word("harness fault", "ours", "!", "Our fault made the number. In no rank."),
}

ROLES = {"entry": "entry", "reference_line": "reference line"}
ORIGINS = {"run_here": "run here", "imported": "imported"}
VERIFICATIONS = {"none": "not verified", "checked": "checked", "reproduced": "reproduced"}


def role_note(role: str, *more: str) -> str:
    """What stands beside the name of a line: what it is unless it is an entry, and more where there is any."""
    return ", ".join(filter(None, ("" if role == "entry" else ROLES[role], *more)))


def status_cell(status: str, url: str = "", note: str = "") -> Cell:
    word = STATUSES[status]
    return Cell(word.label, status, url, note, word.tone, word.mark)
