"""What a worker has only where there is a GPU."""
