"""The site's settings with folders of the test session's own and a secret that guards nothing."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

SESSION = Path(tempfile.mkdtemp(prefix="arena-tests-"))
atexit.register(shutil.rmtree, SESSION, ignore_errors=True)
os.environ |= {
    "SECRET_KEY": "only-for-tests-0123456789abcdefghijklmnopqrstuvwxyz",
    "DEBUG": "false",
    "ARENA_LEAST_FREE_MB": "64",
    "ARENA_AGENT_ENDPOINTS": "http://127.0.0.1:1 inward",  # where nothing listens
    "API_POINTS_A_MINUTE": "0",  # all tests have one address
    "ARENA_ARCHIVE": str(SESSION / "archive"),
    "ARENA_DUMP": str(SESSION / "dump"),
    "ARENA_BROKER": str(SESSION / "broker"),
}

from arena_site.settings import *  # noqa: E402, F403

if "sqlite3" in str(DATABASES["default"]["ENGINE"]):  # noqa: F405
    DATABASES["default"]["TEST"] = {"NAME": SESSION / "test.sqlite3"}  # noqa: F405  a file: worker processes open it too
STATIC_ROOT, FILE_UPLOAD_TEMP_DIR = SESSION / "static", SESSION / "uploads"
STATIC_ROOT.mkdir(), FILE_UPLOAD_TEMP_DIR.mkdir()
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # 0.1 s less for each user
