"""Checkpointing: adjoints of loops that keep few of the states and compute the others again."""
