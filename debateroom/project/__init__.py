"""The folder that a run is about: what of it may be looked at, and nothing outside it. Reads, never writes."""
