"""HTTP mechanics of pages and data: ETags, the response cache, rate limits and the middleware."""
