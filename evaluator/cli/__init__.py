"""The command line of `python -m evaluator`: its arguments and its output."""
