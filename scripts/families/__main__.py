"""Write the folders of families, or say what in them differs from their tables.

usage: python -m scripts.families write|check [FAMILY]     exit codes: 0 done, 1 differences, 2 usage or a wrong table
"""

from __future__ import annotations

import sys

from evaluator.errors import TaskError
from evaluator.tasks.spec import tasks_folder
from scripts.families import FAMILIES
from scripts.families.folders import differences, write


def main(arguments: list[str]) -> int:
    match arguments:
        case [("write" | "check") as command]:
            families = list(FAMILIES.values())
        case [("write" | "check") as command, name] if name in FAMILIES:
            families = [FAMILIES[name]]
        case _:
            sys.stderr.write(f"{(__doc__ or '').splitlines()[-1]}\nfamilies: {', '.join(FAMILIES)}\n")
            return 2
    try:
        folders = {task_id: files for family in families for task_id, files in family.folders().items()}
        if command == "write":
            write(folders, tasks_folder())
    except TaskError as error:
        sys.stderr.write("\n".join([*error.problems, "nothing was written"]) + "\n")
        return 2
    found = differences(folders, tasks_folder())
    sys.stdout.write("\n".join([*found, f"{len(folders)} folders, {len(found)} differences"]) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
