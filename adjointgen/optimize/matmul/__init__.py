"""Products with one line of an array per iteration, as matrix products outside of the loop."""
