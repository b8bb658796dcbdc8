"""See launcher.py."""
