"""Gates: each checks one reason to reject a candidate. The pipeline runs them in order; the first rejection decides."""
