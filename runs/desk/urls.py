"""Addresses of the desk. /submit/ itself and /submission/N/ are public pages of leaderboard."""

from __future__ import annotations

from django.urls import path

from runs.desk import rest, reviewing, views

app_name = "desk"
urlpatterns = [
    path("submit/hand-in/", views.hand_in, name="hand_in"),
    path("submit/tokens/", views.tokens, name="tokens"),
    path("submit/tokens/<int:token>/revoke/", views.revoke, name="revoke"),
    path("submission/<int:submission>/mine/", views.mine, name="mine"),
    path("submission/<int:submission>/facts/", views.facts, name="facts"),
    path("submission/<int:submission>/take-down/", views.take_down, name="take_down"),
    path("audit/<int:audit>/answer/", views.answer, name="answer"),
    path("review/", reviewing.queue, name="review"),
    path("review/<int:review>/decide/", reviewing.decide, name="decide"),
    path("review/submission/<int:submission>/verify/", reviewing.verify, name="verify"),
    path("review/submission/<int:submission>/close/", reviewing.close, name="close"),
    path("review/submission/<int:submission>/publish/", reviewing.publish, name="publish"),
    path("review/result/<int:result>/audit/", reviewing.audit, name="audit"),
    path("api/v1/submissions/", rest.submit, name="api_submit"),
    path("api/v1/submissions/<int:submission>/", rest.one, name="api_status"),
]
