"""Why a gradient is slower than a peer's, where it is: read in what was generated.

A reason is shown only where the figures say that there is something to explain.
"""

_LIBRARY = "both are a few products of matrices, and what lies between is little"
_LINES = "the program multiplies line by line, in JAX the lines are one product of matrices"
_PARTS = "products with parts of columns, which are copied to be contiguous, row after row"

REASONS = {
    "gemm": _LIBRARY,
    "two_mm": _LIBRARY,
    "three_mm": _LIBRARY,
    "mlp": _LIBRARY,
    "doitgen": _LINES,
    "covariance": _PARTS,
    "correlation": _PARTS,
    "hand tracking": "one tangent sweep per number of the pose repeats what the sweeps share",
}
