"""Everything that is read: no models, no writes."""
