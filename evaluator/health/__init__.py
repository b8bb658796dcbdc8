"""Does this host judge rightly, and how still is its device? Known-good and known-bad kernels, and A/A runs."""
