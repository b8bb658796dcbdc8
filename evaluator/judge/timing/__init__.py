"""The protocol arena-1: how two sides are timed against each other, for a ratio that can be reproduced."""
