"""Hosts, host noise and the queue."""
