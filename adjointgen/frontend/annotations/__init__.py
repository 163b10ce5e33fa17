"""Annotations: what they say of the types of arguments, read and never evaluated."""
