"""One reason each why a candidate can be turned away. The pipeline runs them in order; the first failure wins."""
