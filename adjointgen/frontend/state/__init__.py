"""The state of a lowering: storage cells, aliases, effects, and code that is copied."""
