"""The rewrites of `transform/simplify.py`, by what they know: numbers, shapes, or indices."""
