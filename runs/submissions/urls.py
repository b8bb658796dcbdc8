"""URLs for logged-in users. /submit/ and /submission/N/ are public pages of `leaderboard`."""

from __future__ import annotations

from django.urls import path

from runs.submissions import rest, reviewing, views

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
    path("review/submission/<row:submission>/verify/", reviewing.verify, name="verify"),
    path("review/submission/<row:submission>/close/", reviewing.close, name="close"),
    path("review/submission/<row:submission>/publish/", reviewing.publish, name="publish"),
    path("review/result/<row:result>/audit/", reviewing.audit, name="audit"),
    path("api/v1/submissions/", rest.submit, name="api_submit"),
    path("api/v1/submissions/<row:submission>/", rest.one, name="api_status"),
]
