"""The site's worker: claims an attempt, evaluates it on this host's device and writes the verdict."""
