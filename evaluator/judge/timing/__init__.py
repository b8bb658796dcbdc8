"""How two sides are timed against each other, for a ratio that can be reproduced."""
