"""The values of a task: contract, suites, candidates and workspaces, read from files with every problem at once."""
