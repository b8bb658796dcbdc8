"""What explains the results of a board, as KernelBench-X analyses its own (arXiv 2605.04956, sections 4.3 and 4.5)."""
