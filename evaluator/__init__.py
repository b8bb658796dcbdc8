"""Compile, check and time one candidate kernel for one task, and say what came of it.

Pure Python: no Django, no Celery. `python -m evaluator` is the door from a shell, `evaluator.pipeline.Evaluator` the
one from code. This file imports nothing, since the sandbox mounts it beside `evaluator.inside` and nothing else.
"""

VERSION = "0.7.0"
