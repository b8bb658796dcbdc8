"""KernelBench-X: what its paper printed, and imported runs."""
