"""Hardware efficiency of a leaderboard's entries: achieved rates and their shares of the device's peaks."""
