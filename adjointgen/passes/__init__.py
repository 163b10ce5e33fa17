"""The passes: their table, the order in which phases run them, and the runner."""
