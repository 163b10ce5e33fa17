"""Many samples at once: the same program over arguments that have a batch axis."""
