"""Vector forward mode in compiled loops: several directions at once."""
