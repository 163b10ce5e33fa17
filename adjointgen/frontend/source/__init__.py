"""The text of a function and of its module: finding it, parsing it, and what its names mean."""
