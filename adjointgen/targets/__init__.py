"""The form of a program that its target runs fastest: NumPy, or loops for a compiler."""
