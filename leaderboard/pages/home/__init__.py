"""The first page, and the list of current boards it shares with the analysis page."""
