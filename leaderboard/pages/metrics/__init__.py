"""The formulas behind every number on the site."""
