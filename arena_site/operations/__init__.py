"""Tools for operators: backup, restore and the scheduler."""
