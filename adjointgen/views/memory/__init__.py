"""The memory of a program that is not run: what is alive at each of its lines, in bytes."""
