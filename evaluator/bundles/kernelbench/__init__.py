"""KernelBench: run folders, and the data of its public leaderboard."""
