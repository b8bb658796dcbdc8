"""Loads files into rows: tasks and suites, the registry, the papers' tables, and bundles."""
