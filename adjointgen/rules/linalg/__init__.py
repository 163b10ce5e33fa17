"""Rows of linear algebra: products, solves, decompositions, matrix functions, transforms."""
