"""Syntax trees of Python, their constructors, and the printer."""
