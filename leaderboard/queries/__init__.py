"""All database reads for pages, as functions that return plain values. Nothing is written."""
