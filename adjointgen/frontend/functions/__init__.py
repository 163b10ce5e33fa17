"""Functions: parameters, inlining, specialisation of helpers, return values."""
