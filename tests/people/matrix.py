"""The access matrix: every URL that is not public, and who may use it. A URL without a line here fails a test.

`right` names a right of people.rights.RIGHTS. `owner` admits the submitter, and is the status that others get. URLs of
the admin follow from one line for each model, its actions from one line each.
"""

from __future__ import annotations

from dataclasses import dataclass

from runs.people.rights import BY_NAME, STAFF, Role
from tests.people.world import UNPROVED, role_of_walker


@dataclass(frozen=True, slots=True)
class Rule:
    methods: str = "GET"  # others get 405
    right: str = ""
    owner: int = 0  # the status for others: 403, or 404 where its existence is not revealed
    is_open: bool = False  # to visitors
    before_factor: bool = False  # to staff that has no second factor yet
    also: tuple[str, ...] = ()  # other statuses for those who may: 404 where there is no such row


@dataclass(frozen=True, slots=True)
class Model:
    """Rights on a model in the admin: all staff views, nobody deletes. Empty: nobody adds or changes."""

    add: str = ""
    change: str = ""
    view: str = "view"


PEOPLE = {
    "account": Rule(),
    "roles": Rule(is_open=True, before_factor=True),
    "account_login": Rule("GET POST", is_open=True, before_factor=True),
    "account_logout": Rule("GET POST", is_open=True, before_factor=True),
    "account_signup": Rule("GET POST", is_open=True),
    "account_inactive": Rule(is_open=True),
    "account_reauthenticate": Rule("GET POST", before_factor=True),
    "account_email": Rule("GET POST"),
    "account_email_verification_sent": Rule(is_open=True),
    "account_confirm_email": Rule("GET POST", is_open=True, also=("404",)),
    "account_change_password": Rule("GET POST"),
    "account_set_password": Rule("GET POST"),
    "account_reset_password": Rule("GET POST", is_open=True),
    "account_reset_password_done": Rule(is_open=True),
    "account_reset_password_from_key": Rule("GET POST", is_open=True),
    "account_reset_password_from_key_done": Rule(is_open=True),
    "mfa_index": Rule(),
    "mfa_authenticate": Rule("GET POST", is_open=True),
    "mfa_reauthenticate": Rule("GET POST"),
    "mfa_activate_totp": Rule("GET POST", before_factor=True),
    "mfa_deactivate_totp": Rule("GET POST", also=("404",)),
    "mfa_view_recovery_codes": Rule(also=("404",)),
    "mfa_generate_recovery_codes": Rule("GET POST"),
    "mfa_download_recovery_codes": Rule(also=("404",)),
}
SUBMISSIONS = {
    "submissions:upload": Rule("GET POST", right="submit"),
    "submissions:tokens": Rule("GET POST", right="submit"),
    "submissions:revoke": Rule("POST", right="submit", owner=404),
    "submissions:mine": Rule(right="review", owner=403),
    "submissions:facts": Rule("GET POST", owner=403),
    "submissions:take_down": Rule("POST", right="review", owner=403),
    "submissions:reply": Rule("POST", owner=403),
    "submissions:review": Rule(right="review"),
    "submissions:decide": Rule("POST", right="review"),
    "submissions:fastest": Rule(right="review"),
    "submissions:audit": Rule("GET POST", right="audit"),
    **{f"submissions:act_on_{kind}": Rule("GET POST", right="publish") for kind in ("result", "run", "submission")},
}
FOR_MACHINES = {"alive", "ready", "metrics"}  # the same for everybody, or for a token of their own
BY_TOKEN = {"submissions:api_submit": "POST", "submissions:api_status": "GET PATCH"}  # cookies count for nothing there
ADMIN = {
    "admin:index": Rule("GET POST", right="view"),
    "admin:app_list": Rule("GET POST", right="view"),
    "admin:login": Rule("GET POST", is_open=True, also=("404", "log in")),
    "admin:logout": Rule("GET POST", is_open=True, also=("405",)),
    "admin:password_change": Rule("GET POST", right="view"),
    "admin:password_change_done": Rule(right="view"),
    "admin:autocomplete": Rule(right="nobody"),
    "admin:jsi18n": Rule(right="view"),
    "admin:view_on_site": Rule("GET POST", right="view", also=("404",)),
    "admin/(?P<url>.*)$": Rule("GET POST", right="view", also=("404",)),
}
MODELS = {
    "agent": Model("register", "register"),
    "agentsession": Model(),
    "apitoken": Model(),
    "attempt": Model(),
    "auditentry": Model(),
    "configuration": Model("register", "register"),
    "deviceclass": Model("hosts", "hosts"),
    "host": Model("hosts", "hosts"),
    "modelversion": Model("register", "register"),
    "publishedtable": Model(),
    "result": Model(),
    "resultaudit": Model(),
    "review": Model(),
    "round": Model(),
    "run": Model("start"),
    "submission": Model(),
    "suite": Model("register"),
    "task": Model(),
    "unseenevaluation": Model(),
    "user": Model("people", "people", view="people"),
    "verification": Model(),
    "webhook": Model("register"),
    "webhookdelivery": Model(),
}
ACTIONS = {
    "apitoken": {"revoke": "revoke"},
    "host": {"lift_quarantine": "hosts"},
    "result": {
        **{"rerun": "run", "cancel": "run", "publish": "publish", "undo": "publish"},
        "take_back_audit": "audit",
    },
    "run": {
        **dict.fromkeys(("pause", "resume", "cancel", "rerun", "rerun_failed"), "run"),
        **dict.fromkeys(("publish", "withdraw", "undo"), "publish"),
    },
    "submission": {"check_again": "review"},
    "user": {"reset_second_factor": "people"},
    "webhook": dict.fromkeys(("send_test", "disable", "enable", "new_secret"), "register"),
}
BUTTONS = {  # pages that have some for those with this right
    "leaderboard:result": "run",
    "leaderboard:run": "run",
    "leaderboard:submission": "review",
}
PUBLIC = {  # pages; their data, tables, charts, embeds and fragments come with them
    *(
        "home",
        "board",
        "history",
        "distribution",
        "attribution",
        "efficiency",
        "quality",
        "compare",
        "generalizations",
        "generalization",
        "tasks",
        "task",
        "agents",
    ),
    *("agent", "model", "configuration", "runs", "run", "result", "published", "published_table"),
    *("agentkernelarena", "agentkernelarena_paper", "kernelbench_x", "kernelbench_x_paper"),
    *("analysis", "failures", "behaviour", "noise", "portability", "cost", "submit", "submission", "audits", "queue"),
    *("search", "versions", "metrics", "peaks", "data", "hosts", "attempts", "transcript", "claims"),
    *("iterations", "trajectory", "pairs", "pair", "claimed_pair"),
}
ROWS = (
    *("runs", "results", "measurements", "unseen", "configurations", "tasks", "sessions", "iterations"),
    *("claims", "claimed_bundles"),
)
FILES = {  # of the namespaces leaderboard and api, beside the pages
    *("feed", "dump", "run_files", "record", "unseen", "log", "candidate", "task_source", "schema"),
    *("session", "session_transcript", "session_prompt", "pairs_jsonl", "robots", "sitemap_index", "sitemap"),
    *("board_badge", "entry_badge", "board_feed"),
    *(f"rows_{name}" for name in ROWS),
    *(f"rows_{name}_csv" for name in ROWS),
}
FORMS = ("csv", "json", "svg", "png", "explore", "progress", "embed_chart", "embed_table", "card")


def expected_of(rule: Rule, walker: str, method: str, *, own: bool, of_admin: bool) -> set[str]:
    """Return the outcomes that are right for the walker; several only where a row may not exist."""
    if UNPROVED in walker and not rule.before_factor:
        return {"second factor"}
    refused = _refusal(rule, walker, own=own, of_admin=of_admin)
    if method not in rule.methods:
        return {"405", *([refused] if refused else rule.also)}
    return {refused} if refused else {"in", *rule.also}


def _refusal(rule: Rule, walker: str, *, own: bool, of_admin: bool) -> str:
    """Return how the walker is refused; empty if they may."""
    role = role_of_walker(walker)
    has_right = bool(rule.right) and role in (BY_NAME[rule.right].roles if rule.right in BY_NAME else ())
    either = has_right or (own if rule.owner else not rule.right)
    is_in = has_right and own if rule.owner == 404 else either
    if is_in and (rule.is_open or walker != Role.VISITOR):
        return ""
    if walker == Role.VISITOR or (of_admin and role not in STAFF):
        return "log in"
    return "404" if rule.owner == 404 and has_right else "403"
