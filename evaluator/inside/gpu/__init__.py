"""Parts of a worker for a GPU host."""
