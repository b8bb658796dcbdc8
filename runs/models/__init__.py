"""Database models. Every rule that the database can enforce is a constraint named <model>_<rule>; services write."""

from __future__ import annotations

from runs.models.attempts import Attempt, Measurement
from runs.models.audit_log import AuditEntry, Revision
from runs.models.audits import ResultAudit, Review
from runs.models.claims import Claim
from runs.models.entrants import Agent, Configuration, ModelVersion
from runs.models.hosts import Calibration, DeviceClass, Host
from runs.models.problems import Suite, SuiteMembership, Task
from runs.models.published import PublishedRow, PublishedTable
from runs.models.results import Result, Run
from runs.models.rounds import Round
from runs.models.sessions import AgentSession, Iteration
from runs.models.submissions import ApiToken, Submission
from runs.models.unseen import UnseenEvaluation, UnseenMeasurement
from runs.models.verifications import TaskVerdict, Verification
from runs.models.webhooks import Webhook, WebhookDelivery

__all__ = [
    "Agent",
    "AgentSession",
    "ApiToken",
    "Attempt",
    "AuditEntry",
    "Calibration",
    "Claim",
    "Configuration",
    "DeviceClass",
    "Host",
    "Iteration",
    "Measurement",
    "ModelVersion",
    "PublishedRow",
    "PublishedTable",
    "Result",
    "ResultAudit",
    "Review",
    "Revision",
    "Round",
    "Run",
    "Submission",
    "Suite",
    "SuiteMembership",
    "Task",
    "TaskVerdict",
    "UnseenEvaluation",
    "UnseenMeasurement",
    "Verification",
    "Webhook",
    "WebhookDelivery",
]
