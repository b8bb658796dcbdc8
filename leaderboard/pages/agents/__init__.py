"""Agents, models and configurations: the list and a page for each."""
