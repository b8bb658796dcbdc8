"""What a device did during a candidate's calls, by its vendor's profiler, beside the times of a record."""
