"""The only writer of rows. Keyword-only, one transaction each; what cannot be done is refused before anything changes.

entries   create runs, run again, cancel, publish, withdraw
claims    a worker's side: claim, heartbeat, verdict, release; and the sweeper's: dead claims, lost messages
unseen    a worker's side of unseen cases: which they are, what became of them
imports   a bundle from elsewhere as a run
rounds    open and reveal rounds of unseen cases
hosts     signs of life, what a host runs on, quarantine
mirror    tasks and suites as tasks/ has them, the published tables
registry  agents, models, configurations, device classes, hosts, suites of one's own
synthetic boards for benchmarks of the site
revision  how often anything public may have changed
"""

from __future__ import annotations

from runs.services.claims import (
    Claim,
    claim_attempt,
    claim_oldest,
    heartbeat,
    record_verdict,
    release_attempt,
    requeue_dead,
    wake_forgotten,
)
from runs.services.entries import (
    cancel_results,
    create_run,
    publish_results,
    publish_run,
    rerun_results,
    withdraw_run,
)
from runs.services.hosts import host_seen, host_started, lift_quarantine, quarantine_host
from runs.services.imports import import_run
from runs.services.mirror import mirror_suite, mirror_tasks, store_published_table
from runs.services.registry import register_suite, save_row
from runs.services.rounds import mirror_round, open_round, reveal_round
from runs.services.synthetic import remove_synthetic, seed_synthetic_board
from runs.services.unseen import UnseenJob, begin_unseen, fail_unseen, record_unseen

__all__ = [
    "Claim",
    "UnseenJob",
    "begin_unseen",
    "cancel_results",
    "claim_attempt",
    "claim_oldest",
    "create_run",
    "fail_unseen",
    "heartbeat",
    "host_seen",
    "host_started",
    "import_run",
    "lift_quarantine",
    "mirror_round",
    "mirror_suite",
    "mirror_tasks",
    "open_round",
    "publish_results",
    "publish_run",
    "quarantine_host",
    "record_unseen",
    "record_verdict",
    "register_suite",
    "release_attempt",
    "remove_synthetic",
    "requeue_dead",
    "rerun_results",
    "reveal_round",
    "save_row",
    "seed_synthetic_board",
    "store_published_table",
    "wake_forgotten",
    "withdraw_run",
]
