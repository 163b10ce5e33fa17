"""A program for one call: types and lengths of its arguments, generation, loading."""
