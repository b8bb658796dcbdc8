"""The public site: pages and data, without models of its own and without writes."""
