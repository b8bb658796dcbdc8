"""Rows for tests: plain functions, each value with a default that a keyword changes. They write below services."""

from __future__ import annotations

from tests.factories.catalog import (
    NOON,
    make_agent,
    make_calibration,
    make_configuration,
    make_device_class,
    make_host,
    make_model_version,
    make_published_table,
    make_suite,
    make_task,
    make_user,
    sha256,
)
from tests.factories.results import (
    make_attempt,
    make_measurements,
    make_recorded_attempt,
    make_result,
    make_run,
    make_session,
    publish,
)
from tests.factories.submissions import (
    make_audit,
    make_claimed_pair,
    make_claims,
    make_review,
    make_submission,
    make_verification,
)
from tests.factories.unseen import Outcome, make_round, make_unseen

__all__ = [
    "NOON",
    "Outcome",
    "make_agent",
    "make_attempt",
    "make_audit",
    "make_calibration",
    "make_claimed_pair",
    "make_claims",
    "make_configuration",
    "make_device_class",
    "make_host",
    "make_measurements",
    "make_model_version",
    "make_published_table",
    "make_recorded_attempt",
    "make_result",
    "make_review",
    "make_round",
    "make_run",
    "make_session",
    "make_submission",
    "make_suite",
    "make_task",
    "make_unseen",
    "make_user",
    "make_verification",
    "publish",
    "sha256",
]
