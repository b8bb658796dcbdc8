"""A folder on Python's search path for commands of a mounted task on a CPU host: Python runs its sitecustomize."""
