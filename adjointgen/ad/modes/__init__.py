"""Forward mode and reverse mode: the statements of the tangent and of the adjoint program."""
