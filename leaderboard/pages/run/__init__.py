"""The pages of runs: the list, and one run."""
