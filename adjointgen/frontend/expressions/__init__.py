"""Expressions: arithmetic, logic, comparisons, subscripts, attributes, instances."""
