"""The child process that measures candidates: limits first, then each candidate; figures go out as JSON."""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Mapping
from typing import Any

MEMORY_BYTES, PROCESSOR_S = 1 << 30, 10
PYTHON, CPP = (".py",), (".hip", ".cu", ".cuh", ".cpp", ".cc", ".h", ".hpp")


def main() -> None:
    confine()
    candidates = json.loads(sys.stdin.buffer.read())
    sys.stdout.write(json.dumps([measured(files) for files in candidates]))


def confine() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_S, PROCESSOR_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def measured(files: Mapping[str, str]) -> dict[str, Any]:
    """Return what is measured of a candidate from its files in Latin-1, or under `because` why nothing is."""
    try:
        sources = [data.encode("latin-1").decode("utf-8-sig") for data in files.values()]
        if all(name.endswith(PYTHON) for name in files):
            from runs.code_quality import python

            return python.measure(sources).as_json()
        if all(name.endswith(CPP) for name in files):
            from runs.code_quality import cpp

            return cpp.measure(sources).as_json()
    except UnicodeDecodeError:
        return {"because": "it is not UTF-8 text"}
    except (SyntaxError, ValueError):
        return {"because": "it does not parse"}
    except (RecursionError, MemoryError):
        return {"because": "it is nested too deeply, or too large"}
    return {"because": "its files are of several languages, or of one that is not measured"}
