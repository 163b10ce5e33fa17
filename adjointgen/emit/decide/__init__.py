"""Decisions before a function is printed: names, live ranges, inlining, types to declare."""
