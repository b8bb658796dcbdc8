"""The only writer of rows. Keyword-only, one transaction each; what cannot be done is refused before anything changes.

entries      create runs, run again, pause, resume, cancel
publishing   what of runs is public: publish, withdraw, take either back
claims       a worker's side: claim, heartbeat, verdict, release; and the sweeper's: dead claims, lost messages
sessions     a worker's side of an agent's session; those that bundles bring
replaced     sessions without a candidate, in whose place a rerun has another held
starts       runs of an agent of ours, by repeats
spending     estimates and caps of what calls a paid model
unseen       a worker's side of unseen cases: which they are, what became of them
imports      a bundle from elsewhere as a run
rounds       open and reveal rounds of unseen cases
hosts        signs of life, what a host runs on, quarantine
submissions  what is handed in: received, checked, accepted, closed
facts        what a bundle does not say, added after hand-in
suspicions   what a new bundle resembles
verification claims measured again
takedowns    bundle, sources and sessions of a submission, removed
audits       what people find, answers to it, decisions
accounts     roles, closing, passwords and second factors of others
tokens       of programs that hand in
names        the configuration of what a submitter says
mirror       tasks and suites as tasks/ has them, the published tables
registry     agents, models, configurations, device classes, hosts, suites of one's own
synthetic    boards for benchmarks of the site
revision     how often anything public may have changed
measured, trail, turns: rows of measurements, the entry that each action leaves, places in the queue: for the others
"""

from __future__ import annotations

from runs.services.accounts import (
    close_account,
    forget_second_factor,
    give_role,
    make_account,
    open_account,
    rename_account,
    set_password,
)
from runs.services.audits import answer_audit, audit_result, decide_review
from runs.services.catalog import mirror_suite, mirror_tasks, store_published_table
from runs.services.claims import (
    Lease,
    claim_attempt,
    claim_oldest,
    heartbeat,
    record_verdict,
    release_attempt,
    requeue_dead,
    wake_forgotten,
)
from runs.services.entries import cancel_results, create_run, pause_run, rerun_failed, rerun_results, resume_run
from runs.services.facts import declare, sayable
from runs.services.hosts import host_seen, host_started, lift_quarantine, quarantine_host
from runs.services.imports import import_run
from runs.services.names import configuration_for, configuration_of_ours
from runs.services.publishing import publish_results, publish_run, undo_results, undo_run, withdraw_run
from runs.services.registry import change_row, register_suite, save_row
from runs.services.rounds import mirror_round, open_round, reveal_round
from runs.services.sessions import begin_session, record_session, session_goes_on
from runs.services.spending import estimate_of, left_to_spend, stop_at_cap
from runs.services.starts import REPEATS, start_runs, told_estimate
from runs.services.submissions import (
    Upload,
    accept,
    accept_claims,
    check_again,
    claim_check,
    close,
    give_back_check,
    receive,
    reject,
    renew_check,
    requeue_dead_checks,
    show_claims,
    wake_forgotten_checks,
)
from runs.services.synthetic import remove_synthetic, seed_synthetic_board
from runs.services.takedowns import take_down
from runs.services.tokens import make_token, revoke_token, token_of
from runs.services.unseen import begin_unseen, fail_unseen, record_unseen
from runs.services.verification import begin_verification, conclude_verifications, verify_by_policy

__all__ = [
    "REPEATS",
    "Lease",
    "Upload",
    "accept",
    "accept_claims",
    "answer_audit",
    "audit_result",
    "begin_session",
    "begin_unseen",
    "begin_verification",
    "cancel_results",
    "change_row",
    "check_again",
    "claim_attempt",
    "claim_check",
    "claim_oldest",
    "close",
    "close_account",
    "conclude_verifications",
    "configuration_for",
    "configuration_of_ours",
    "create_run",
    "decide_review",
    "declare",
    "estimate_of",
    "fail_unseen",
    "forget_second_factor",
    "give_back_check",
    "give_role",
    "heartbeat",
    "host_seen",
    "host_started",
    "import_run",
    "left_to_spend",
    "lift_quarantine",
    "make_account",
    "make_token",
    "mirror_round",
    "mirror_suite",
    "mirror_tasks",
    "open_account",
    "open_round",
    "pause_run",
    "publish_results",
    "publish_run",
    "quarantine_host",
    "receive",
    "record_session",
    "record_unseen",
    "record_verdict",
    "register_suite",
    "reject",
    "release_attempt",
    "remove_synthetic",
    "rename_account",
    "renew_check",
    "requeue_dead",
    "requeue_dead_checks",
    "rerun_failed",
    "rerun_results",
    "resume_run",
    "reveal_round",
    "revoke_token",
    "save_row",
    "sayable",
    "seed_synthetic_board",
    "session_goes_on",
    "set_password",
    "show_claims",
    "start_runs",
    "stop_at_cap",
    "store_published_table",
    "take_down",
    "token_of",
    "told_estimate",
    "undo_results",
    "undo_run",
    "verify_by_policy",
    "wake_forgotten",
    "wake_forgotten_checks",
    "withdraw_run",
]
