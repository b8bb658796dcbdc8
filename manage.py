#!/usr/bin/env python
"""Django's door from a shell: migrations, the admin's commands and ours.

Exit codes: 0 done; 1 refused, or the database or this machine cannot, with the reason; 2 usage; 3 an odd setting, a
database that another version made, or another worker for this host, so that starting again would not help.
`--traceback` shows where an error is from.
"""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line
from django.db.utils import OperationalError, ProgrammingError

from arena_site.environment import SettingError

DATABASE = "the database cannot do it; is DATABASE_URL right, does it run, was `manage.py migrate` run? It says"


def main(arguments: list[str]) -> int:
    try:
        execute_from_command_line(arguments)
    except SettingError as error:
        sys.stderr.write(f"{error}\n")
        return 3
    except (OperationalError, ProgrammingError, OSError) as error:
        if "--traceback" in arguments:
            raise
        cannot = "this machine cannot do it" if isinstance(error, OSError) else DATABASE
        sys.stderr.write(f"{cannot}: {' '.join(str(error).split())}\n")
        return 1
    return 0


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
    sys.exit(main(sys.argv))
