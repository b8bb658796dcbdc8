"""Reads the sources of a candidate: what is on a list of what kernels need is plain, and everything else is found."""
