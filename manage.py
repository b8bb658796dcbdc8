#!/usr/bin/env python
"""Django's door from a shell: migrations, the admin's commands and ours. Exit code 3: an odd setting, named."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

from arena_site.env import SettingError

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
    try:
        execute_from_command_line(sys.argv)
    except SettingError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(3)
