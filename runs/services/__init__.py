"""The only writer of rows. Keyword-only, one transaction each; what cannot be done is refused before anything changes.

entries   create runs, run again, cancel, publish, withdraw
claims    a worker's side: claim, heartbeat, verdict, release; and the sweeper's: dead claims, lost messages
hosts     signs of life, what a host runs on, quarantine
mirror    tasks and suites as tasks/ has them, the published tables
registry  agents, models, configurations, device classes, hosts, suites of one's own
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
from runs.services.mirror import mirror_suite, mirror_tasks, store_published_table
from runs.services.registry import register_suite, save_row

__all__ = [
    "Claim",
    "cancel_results",
    "claim_attempt",
    "claim_oldest",
    "create_run",
    "heartbeat",
    "host_seen",
    "host_started",
    "lift_quarantine",
    "mirror_suite",
    "mirror_tasks",
    "publish_results",
    "publish_run",
    "quarantine_host",
    "record_verdict",
    "register_suite",
    "release_attempt",
    "requeue_dead",
    "rerun_results",
    "save_row",
    "store_published_table",
    "wake_forgotten",
    "withdraw_run",
]
