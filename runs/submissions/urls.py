"""URLs for logged-in users. /submit/ and /submission/N/ are public pages of `leaderboard`."""

from __future__ import annotations

from django.urls import path

from runs.submissions import acting, rest, reviewing, views
from runs.submissions.offers import KINDS

app_name = "submissions"
urlpatterns = [
    path("submit/upload/", views.upload, name="upload"),
    path("submit/tokens/", views.tokens, name="tokens"),
    path("submit/tokens/<row:token>/revoke/", views.revoke, name="revoke"),
    path("submission/<row:submission>/mine/", views.mine, name="mine"),
    path("submission/<row:submission>/facts/", views.facts, name="facts"),
    path("submission/<row:submission>/take-down/", views.take_down, name="take_down"),
    path("audit/<row:audit>/reply/", views.reply, name="reply"),
    path("review/", reviewing.queue, name="review"),
    path("review/<row:review>/decide/", reviewing.decide, name="decide"),
    path("review/fastest/", reviewing.fastest, name="fastest"),
    path("review/result/<row:result>/audit/", reviewing.audit, name="audit"),
    *(
        path(f"{kind}/<row:row>/act/<slug:action>/", acting.act, {"kind": kind}, name=f"act_on_{kind}")
        for kind in KINDS
    ),
    path("api/v1/submissions/", rest.submit, name="api_submit"),
    path("api/v1/submissions/<row:submission>/", rest.one, name="api_status"),
]
