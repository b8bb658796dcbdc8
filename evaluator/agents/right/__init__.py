"""A reference agent: see launcher.py."""
