"""Backup, restore and the scheduler: what an operator runs."""
