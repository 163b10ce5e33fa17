"""Who runs a program: Numba, and the memory of compiled programs."""
