"""The trusted side of an evaluation: draws, reference, comparison, workers. No candidate code runs here."""
