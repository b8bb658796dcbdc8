"""Commands for those who work on the project; `families` is a package of its own."""
