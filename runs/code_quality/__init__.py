"""Static figures of sources, from their text alone: of candidates their quality, of references their proxies."""
