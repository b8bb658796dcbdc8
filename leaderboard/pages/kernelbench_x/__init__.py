"""KernelBench-X: its paper's results, and submitted runs."""
