"""Facts about loops: extents of accesses, independent iterations, elements that survive."""
