"""Everything that is written: tasks, entrants, hosts, runs and results. `services` is the only writer."""
