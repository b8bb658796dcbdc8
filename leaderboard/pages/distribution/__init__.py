"""The distribution of speedups over the tasks of a board."""
