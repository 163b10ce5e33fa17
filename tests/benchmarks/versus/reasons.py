"""Why a gradient is slower than a peer's, where it is: read in what was generated.

A reason is shown only where the figures say that there is something to explain.
"""

_LIBRARY = "both are a few products of matrices, which take longer in OpenBLAS than in Eigen"
_MEMORY = "each matrix is read once or twice and one as large is written, as fast as memory allows"

REASONS = {
    "gemm": _LIBRARY,
    "two_mm": _LIBRARY,
    "three_mm": _LIBRARY,
    "mlp": _LIBRARY,
    "doitgen": _LIBRARY,
    "atax": _MEMORY,
    "bicg": _MEMORY,
    "mvt": _MEMORY,
    "gesummv": _MEMORY,
    "adi": "two sweeps a step go along columns, and record what they overwrite",
    "self_energies": "products of 4 by 4 matrices, of which one is made again in the reverse sweep",
    "hand tracking": "a large Jacobian is written as fast as memory allows, which takes most of the"
    " time",
    "Gaussian mixture": "products of small matrices, which both leave to a library",
    "bundle adjustment": "observations are followed one at a time, each with a sine, a cosine and"
    " some twenty divisions",
    "LSTM": "most of the time goes to hyperbolic tangents and exponentials",
    "recurrence": "every step waits for the last one",
    "pendulum": "every step waits for the sines of the last one, which take equally long in all",
}

MEANS = {"kernels": (92.0, 10.0)}
"""The arithmetic and the geometric mean that the speed-ups over JAX are to have, by table."""

GOALS: dict[str, dict[str, float]] = {
    "Gaussian mixture": {"JAX": 1.3, "PyTorch": 1.3},
    "bundle adjustment": {"JAX": 15.0, "PyTorch": 15.0},
    "hand tracking": {"JAX": 5.0, "PyTorch": 5.0},
    "LSTM": {"JAX": 3.0, "PyTorch": 3.0},
    **{
        name: {"JAX": 5.0, "PyTorch": 100.0, "autograd": 100.0}
        for name in ("formula", "recurrence", "pendulum", "black_scholes")
    },
}
"""How many times as fast as a peer a gradient is to be, where more is asked than not to lose."""
