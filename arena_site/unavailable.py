"""What is answered to a request that failed: 503 while the database is busy or away, 507 on a full disk, else 500.

A write waits for SQLite's lock (OPTIONS of the database's settings), so 503 comes after that, and the transaction is
rolled back.
"""

from __future__ import annotations

import errno
import sqlite3
import sys
from collections.abc import Iterator
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views import defaults

RETRY_S = 10
NO_ROOM_CODES = (errno.ENOSPC, errno.EDQUOT)
NO_ROOM_IN_POSTGRESQL = "53100"


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer a request whose exception is being handled. Django calls this for all that nothing else handles."""
    error = sys.exception()
    if any(map(_is_no_room, _causes(error))):
        return HttpResponse(render_to_string("507.html"), status=507)
    if isinstance(error, InterfaceError) or (isinstance(error, OperationalError) and not _is_of_sql(error)):
        return HttpResponse(render_to_string("503.html"), status=503, headers={"Retry-After": str(RETRY_S)})
    return defaults.server_error(request)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _is_no_room(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in NO_ROOM_CODES
    is_full = _sqlite_code(error) == sqlite3.SQLITE_FULL
    return is_full or getattr(error, "sqlstate", None) == NO_ROOM_IN_POSTGRESQL


def _is_of_sql(error: BaseException) -> bool:
    """Return whether SQLite refuses a statement, such as one about a table that is not there: a fault of ours."""
    return any(_sqlite_code(one) == sqlite3.SQLITE_ERROR for one in _causes(error))


def _sqlite_code(error: BaseException) -> Any:
    """The primary code of SQLite's error; None for any other."""
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None
