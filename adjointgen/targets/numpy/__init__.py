"""Programs for NumPy: loops over elements as statements on slices."""
