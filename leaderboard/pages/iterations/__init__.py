"""Versions of agent sessions, one after another: boards, and kinds of edit over everything."""
