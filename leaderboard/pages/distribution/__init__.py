"""How speedups spread over the tasks of a board."""
