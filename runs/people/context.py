"""What every template may ask of this site's settings about accounts."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def accounts(request: HttpRequest) -> dict[str, bool]:
    return {"has_mail": bool(settings.EMAIL_HOST), "sign_up_is_open": bool(settings.SIGN_UP)}
