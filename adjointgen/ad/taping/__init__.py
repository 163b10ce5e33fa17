"""Closing the adjoint: what the reverse sweep needs is recorded, recomputed or restored."""
