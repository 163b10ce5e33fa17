"""Rows of numerical methods: interpolation, splines, implicit equations."""
