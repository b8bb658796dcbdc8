"""What a submitted bundle says of itself, and the name that follows."""

from __future__ import annotations

from leaderboard.pages.base import entry_name
from leaderboard.queries.bundles import BundleRow


def stated(bundle: BundleRow) -> dict[str, str]:
    return {**bundle.about.get("facts", {}), **bundle.declared}


def name_of(bundle: BundleRow) -> str:
    given = stated(bundle)
    agent = str(given.get("agent") or f"Submission {bundle.id}")
    return entry_name(agent, str(given["model"]) if given.get("model") else None)
