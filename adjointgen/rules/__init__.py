"""What operations mean: one row each, from which tangent, adjoint and types all follow."""
