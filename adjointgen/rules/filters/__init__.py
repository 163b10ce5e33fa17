"""Filters of `scipy.ndimage` and `scipy.signal`."""
