"""Code of the user that is copied: read as trees, substituted into, and delimited."""
