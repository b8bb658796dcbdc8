"""A folder for the search path of a mounted task's commands on a host without a GPU: Python runs its sitecustomize."""
