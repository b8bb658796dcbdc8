"""Data to take away: the nightly dump, rows as JSON and CSV, a run's zip and the Atom feed."""
