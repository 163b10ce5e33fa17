"""Rows of operations that act entry by entry."""
