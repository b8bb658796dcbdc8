"""KernelBench-X runs, golden results and the transition corpus."""
