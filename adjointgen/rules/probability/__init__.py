"""Probability distributions of `scipy.stats`."""
