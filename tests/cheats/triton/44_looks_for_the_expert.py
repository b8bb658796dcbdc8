# class: 44
# expect: build_failed/import_error
# gate: compile
# also: source
# backend: both
# Imports the task's own expert from wherever it may lie.
import sys
from pathlib import Path

PLACES = [*Path(".").rglob("expert/kernel.py"), *Path("/arena").rglob("expert/kernel.py"), *Path("..").glob("*/kernel.py")]
sys.path[:0] = [str(place.parent) for place in PLACES if place.parent != Path(__file__).parent]

from expert.kernel import forward
