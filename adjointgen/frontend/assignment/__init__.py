"""Targets of assignments: unpacking, augmented assignment, attributes that are set."""
