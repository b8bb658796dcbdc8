"""Health of a host: known-good and known-bad kernels through the pipeline, and A/A sessions on its device."""
