"""Is a task worth being evaluated on? Every check of a task folder, and the skeleton that a new task starts from."""
