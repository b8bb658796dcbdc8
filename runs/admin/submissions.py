"""Admin pages of submissions, tokens, verifications, audits and reviews. Decisions are made at /review/."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from runs.actions import CHECK_AGAIN, RowAction
from runs.admin.base import ReadOnlyAdmin, functions_of
from runs.models import ApiToken, ResultAudit, Review, Submission, Verification
from runs.people.rights import may_review, may_revoke
from runs.services import tokens

REVOKE = RowAction(
    "revoke",
    "Revoke",
    "revoke",
    "Programs can no longer use these tokens. This cannot be undone; users can create new tokens.",
    ("token revoked", "tokens revoked"),
    lambda one, asked: tokens.revoke_token(token=one, **asked),
)


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ("id", "state", "outcome", "submitter_name", "format", "problem_count", "run", "received_at")
    list_select_related = ("run",)
    list_filter = ("state", "format")
    search_fields = ("digest", "submitter_name")
    actions = functions_of(CHECK_AGAIN)

    def has_review_permission(self, request: HttpRequest) -> bool:
        return may_review(request.user)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ("name", "user", "scope", "created_at", "expires_at", "revoked_at", "used_at")
    list_select_related = ("user",)
    exclude = ("digest",)
    actions = functions_of(REVOKE)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return may_revoke(request.user)


@admin.register(Verification)
class VerificationAdmin(ReadOnlyAdmin):
    list_display = ("id", "claimed", "measured", "sample", "verdict", "reproduced_tasks", "compared_tasks", "closed_at")
    list_select_related = ("claimed", "measured")
    list_filter = ("verdict",)


@admin.register(ResultAudit)
class ResultAuditAdmin(ReadOnlyAdmin):
    list_display = ("at", "result", "verdict", "auditor_name", "reason")
    list_select_related = ("result",)
    list_filter = ("verdict",)


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    list_display = ("opened_at", "kind", "submission", "opened_by_name", "closed_at", "decision")
    list_select_related = ("submission",)
    list_filter = ("kind",)
