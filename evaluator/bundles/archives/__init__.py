"""Folders, zips and tars as bounded bytes, and a folder as a reproducible zip."""
