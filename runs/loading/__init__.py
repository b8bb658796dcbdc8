"""Files on their way into rows: tasks and suites, the registry, the papers' tables and result bundles."""
