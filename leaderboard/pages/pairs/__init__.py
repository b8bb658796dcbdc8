"""Pairs of neighbouring versions: the browser of pairs, and the page of each."""
