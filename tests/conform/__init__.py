"""Conformance: test functions that nobody here wrote, as they are and as their primal programs."""
