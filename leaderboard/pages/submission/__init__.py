"""How to submit, and one submission."""
