"""Health, metrics and log lines of every process of the site."""
