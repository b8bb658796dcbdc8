"""A search that needs no model: see launcher.py."""
