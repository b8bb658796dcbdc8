"""Django's admin for maintainers: register who runs where, and look at everything. Every write goes through a service.

Rows that say what happened are read-only here, and nothing is deleted: a run is withdrawn, a host is disabled.
"""

from __future__ import annotations

from runs.admin import people, registry, runs, sessions, submissions

__all__ = ["people", "registry", "runs", "sessions", "submissions"]  # each registers its own rows with the admin site
