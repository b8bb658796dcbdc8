"""KernelBench's eval_results.json and its analysis."""
