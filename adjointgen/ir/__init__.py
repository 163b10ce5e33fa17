"""What a program is: frozen statements over single-assignment values, printed and read back."""
