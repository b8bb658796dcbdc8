"""Tasks, suites, candidates and workspaces as values, read from files; every problem of a file is reported at once."""
