"""HTTP mechanics of the data: ETags, the response cache, rate limits and the middleware."""
