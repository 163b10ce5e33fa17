"""What the frontend knows of SciPy and of `statistics` without a row, by module.

Many of these say of themselves that they live in another module than the one they are called by.
"""

from __future__ import annotations

from typing import Final

OF_SCIPY: Final = {
    "constants": ("convert_temperature", "lambda2nu", "nu2lambda"),
    "integrate": ("simpson", "cumulative_trapezoid", "romb", "fixed_quad"),
    "interpolate": ("bisplev", "barycentric_interpolate"),
    "linalg": (
        *("solve_banded", "solveh_banded", "solve_toeplitz", "matmul_toeplitz", "solve_circulant"),
        *("eigvalsh_tridiagonal", "eigh_tridiagonal", "polar"),
    ),
    "optimize": ("rosen", "rosen_der", "rosen_hess", "rosen_hess_prod"),
    "signal": ("sosfilt", "chirp", "gauss_spline", "bilinear_zpk", "lp2lp"),
    "spatial.distance": ("pdist", "squareform"),
}
"""What is defined by NumPy, in `runtime/scipy_defined.py`."""
OF_STATISTICS: Final = (
    *("mean", "fmean", "variance", "pvariance", "stdev", "pstdev", "_mean_stdev"),
    "_normal_dist_inv_cdf",
)
"""What is defined of Python's module, in `runtime/statistics_defined.py`."""
INTERPOLATORS: Final = ("CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "interp1d")
GRIDS: Final = ("RegularGridInterpolator",)
SPARSE: Final = (
    *(f"{form}_{kind}" for form in ("csr", "csc", "coo") for kind in ("array", "matrix")),
    *("diags_array", "hstack", "vstack", "issparse", "linalg.spsolve"),
)
"""What `frontend/library/scipy_classes.py` has."""
SOLVERS: Final = (
    *("brentq", "brenth", "ridder", "bisect", "toms748", "newton", "fixed_point", "root_scalar"),
    *("fsolve", "root", "minimize_scalar", "minimize", "fmin", "fmin_powell", "fmin_bfgs"),
    *("fmin_cg", "least_squares", "curve_fit"),
)
"""Of `scipy.optimize`: what `frontend/library/scipy_root_finding.py` has."""
REWRITTEN: Final = (
    *("scipy.linalg.cho_factor", "scipy.linalg.cho_solve", "scipy.linalg.lu_solve"),
    *("numpy.r_", "numpy.c_", "numpy.s_", "numpy.index_exp"),
)
SPELLINGS: Final = (
    *REWRITTEN,
    *(f"scipy.integrate.{name}" for name in ("quad", "odeint", "solve_ivp")),
    *(f"scipy.interpolate.{name}" for name in (*INTERPOLATORS, *GRIDS)),
    *(f"scipy.sparse.{name}" for name in SPARSE),
    *(f"scipy.optimize.{name}" for name in SOLVERS),
    *(f"scipy.{module}.{name}" for module, names in OF_SCIPY.items() for name in names),
)
MODULES: Final = frozenset(
    ("adjointgen.rules", *(spelling.rpartition(".")[0] for spelling in SPELLINGS))
)
