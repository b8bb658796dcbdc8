"""ArenaBoard's own bundles: the run folder of the evaluator or its zip."""
