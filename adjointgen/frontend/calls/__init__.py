"""Calls: their arguments, rows of the table, helpers, callbacks, and unknown functions."""
