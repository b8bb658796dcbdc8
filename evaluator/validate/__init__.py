"""Validation of tasks: every check of a task folder, and the skeleton of a new task."""
