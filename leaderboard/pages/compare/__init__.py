"""Two to six configurations side by side."""
