"""What evaluations and agents cost."""
