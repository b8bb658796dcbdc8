"""Cases that no agent has seen: generated from a task's contract and a round's secret, or imported as data."""
