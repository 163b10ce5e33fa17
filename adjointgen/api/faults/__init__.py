"""Fault localisation: the first source line whose derivative is wrong at a point."""
