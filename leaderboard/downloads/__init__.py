"""Downloads: the nightly dump, rows as JSON and CSV, a run's files as a ZIP, and the Atom feed."""
