"""Stores what took minutes or money, trying again while the database is busy or away."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic, sleep

from django.db import InterfaceError, OperationalError, connection

DATABASE_S = 30.0  # how long it is tried
log = logging.getLogger(__name__)


def stored(store: Callable[[], bool], what: str) -> bool:
    """Return what `store` returns; `what` it stores is for the log.

    Raises:
        OperationalError, InterfaceError: the database is still busy or away after DATABASE_S.
    """
    until = monotonic() + DATABASE_S
    while True:
        try:
            return store()
        except (OperationalError, InterfaceError) as error:
            if monotonic() > until:
                raise
            log.warning("retrying to store %s: %s", what, error)
            connection.close()
            sleep(DATABASE_S / 60)
