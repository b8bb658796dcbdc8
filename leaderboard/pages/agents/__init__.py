"""Agents, models and configurations: a list, and a page for each."""
