"""A view for those who may: strangers are asked to log in, everybody else is told that it is not theirs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from runs.people.rights import Somebody

View = Callable[..., HttpResponse]


def needs(may: Callable[[Somebody], bool]) -> Callable[[View], View]:
    """
    Raises:
        PermissionDenied: from the view, where somebody is logged in who may not.
    """

    def guarded(view: View) -> View:
        @wraps(view)
        def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            if not may(request.user):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return asked

    return guarded
