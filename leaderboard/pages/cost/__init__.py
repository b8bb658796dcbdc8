"""Cost of agents and evaluations."""
