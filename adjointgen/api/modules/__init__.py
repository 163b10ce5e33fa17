"""Generated modules that are committed: text, header, targets, drift."""
