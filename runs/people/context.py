"""What every template may ask of this site's settings about accounts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from runs.people.rights import needs_second_factor


def accounts(request: HttpRequest) -> dict[str, Any]:
    """What asks for the user is called where a template names it: public pages know no session."""
    return {
        "has_mail": bool(settings.EMAIL_HOST),
        "sign_up_is_open": bool(settings.SIGN_UP),
        "must_have_second_factor": lambda: needs_second_factor(request.user),
    }
