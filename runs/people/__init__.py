"""Accounts: users, their roles and rights, logins and second factors.

This app knows nothing of runs. Pages that need a right ask `rights`; whatever takes a password, code or token asks
`login_attempts`.
"""

from __future__ import annotations
