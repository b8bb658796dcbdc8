"""Unseen cases, generated from a task's contract and a round's secret, or read from a file."""
