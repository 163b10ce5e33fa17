"""Tools for work on the passes: running, watching, bisecting and reducing."""
