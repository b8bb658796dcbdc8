"""The rows. Every rule the database can hold is a constraint named <model>_<rule>; nothing here writes or decides."""

from __future__ import annotations

from runs.models.attempts import Attempt, Measurement
from runs.models.entrants import Agent, Configuration, ModelVersion
from runs.models.hosts import Calibration, DeviceClass, Host
from runs.models.problems import Suite, SuiteMembership, Task
from runs.models.published import PublishedRow, PublishedTable
from runs.models.results import Result, Run
from runs.models.rounds import Round
from runs.models.trail import AuditEntry, Revision
from runs.models.unseen import UnseenEvaluation, UnseenMeasurement

__all__ = [
    "Agent",
    "Attempt",
    "AuditEntry",
    "Calibration",
    "Configuration",
    "DeviceClass",
    "Host",
    "Measurement",
    "ModelVersion",
    "PublishedRow",
    "PublishedTable",
    "Result",
    "Revision",
    "Round",
    "Run",
    "Suite",
    "SuiteMembership",
    "Task",
    "UnseenEvaluation",
    "UnseenMeasurement",
]
