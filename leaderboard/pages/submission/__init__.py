"""The guide to submitting, and the page of one submission."""
