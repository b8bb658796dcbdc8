"""Failure analysis: statuses and reasons by configuration."""
