"""Rows of operations that rearrange, join, index, reduce or scan arrays."""
