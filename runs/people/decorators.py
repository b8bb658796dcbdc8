"""Protects views: visitors are sent to the login page, users without the right get 403."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from runs.people.rights import AnyUser

View = Callable[..., HttpResponse]


def needs(may: Callable[[AnyUser], bool]) -> Callable[[View], View]:
    """Return a decorator that lets only users through for whom `may` is true.

    Raises:
        PermissionDenied: from the view, if the user is logged in but may not.
    """

    def guarded(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            if not may(request.user):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return checked

    return guarded
