"""The commands of `python -m evaluator` and what they print."""
