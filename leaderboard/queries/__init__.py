"""The only reader of rows for pages: one function for each question, which returns plain values. Nothing is written."""
