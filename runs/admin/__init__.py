"""Django's admin for staff: the registry, actions on runs, and read-only views of everything else.

Services do all writes. Nothing is deleted: a run is withdrawn, a host is disabled.
"""

from __future__ import annotations

from runs.admin import people, registry, runs, sessions, submissions, webhooks

__all__ = [
    "people",
    "registry",
    "runs",
    "sessions",
    "submissions",
    "webhooks",
]  # each registers its own rows with the admin site
