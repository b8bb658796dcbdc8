"""Results on unseen input configurations."""
