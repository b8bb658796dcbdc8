"""The protocol arena-1: how two sides are timed against each other so that a ratio means something."""
