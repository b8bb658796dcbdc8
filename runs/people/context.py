"""The context processor for accounts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from runs.people.rights import needs_second_factor


def accounts(request: HttpRequest) -> dict[str, Any]:
    """Return settings about accounts for every template.

    `must_have_second_factor` is a function: calling it reads the session, which public pages must not.
    """
    return {
        "has_mail": bool(settings.EMAIL_HOST),
        "sign_up_is_open": bool(settings.SIGN_UP),
        "must_have_second_factor": lambda: needs_second_factor(request.user),
    }
