"""URLs: leaderboards at /, runs at /runs/, the API at /api/v1/, submissions at /submit/, accounts at /account/.

For monitoring: /healthz, /readyz and /metrics.
"""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from arena_site.monitoring import health, metrics
from runs.people.views import admin_login, admin_password

admin.site.site_header = admin.site.site_title = "ArenaBoard"
admin.site.index_title = "Registry, runs and publication"
admin.site.login = admin_login  # type: ignore[method-assign]
admin.site.password_change = admin_password  # type: ignore[method-assign, assignment]

handler500 = "arena_site.unavailable.server_error"
urlpatterns = [
    path("healthz", health.alive, name="alive"),
    path("readyz", health.ready, name="ready"),
    path("metrics", metrics.metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("", include("runs.people.urls")),
    path("", include("runs.submissions.urls")),
    path("api/v1/", include("leaderboard.api_urls")),
    path("", include("leaderboard.urls")),
]
