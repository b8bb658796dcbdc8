"""Devices and toolchains: what a host can run, and what its measurements mean."""
