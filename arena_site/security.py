"""The content security policy: only files of this site, no inline scripts or styles, framing of embeds alone."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",  # icons of the admin and downloads of charts are data: URLs
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
EMBEDS = ("_embed_chart", "_embed_table")  # how the names of addresses end that any site may frame
EMBED_POLICY = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


class ContentSecurityMiddleware:
    """Sets the policy on every response, static files included. It goes by the address; views cannot relax it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response["Content-Security-Policy"] = EMBED_POLICY if _is_embed(request, response) else POLICY
        response["Permissions-Policy"] = PERMISSIONS
        return response


def _is_embed(request: HttpRequest, response: HttpResponse) -> bool:
    name = request.resolver_match.url_name if request.resolver_match else None
    return name is not None and name.endswith(EMBEDS) and response.status_code in (200, 304)
