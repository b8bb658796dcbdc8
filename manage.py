#!/usr/bin/env python
"""Django's door from a shell: migrations, the admin's commands and ours."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
    execute_from_command_line(sys.argv)
