"""The leaderboard of a suite, category and device class."""
