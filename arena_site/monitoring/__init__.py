"""Health checks, metrics and logs of the site's processes."""
