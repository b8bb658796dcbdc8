"""Code quality of candidates: of one result, of a board's entries, and of what bundles claim."""
