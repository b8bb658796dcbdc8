"""The bench: the compiled library of timed calls, and its build. evaluator/inside/bench.py loads it in workers."""
