"""Source-to-source derivatives of Python functions: readable tangent and adjoint programs."""
