"""The list of tasks, and one task."""
