"""Hardware portability: one configuration on several device classes."""
