"""What is compared: a program, its inputs by size, and the candidates that differentiate it.

A candidate is made once and then prepared for arguments: it may compile for their shapes, and moves
them to where it wants them before the clock starts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from tests.benchmarks.kernels.kernel import Arguments
from tests.benchmarks.timing import Run


class Gives(Enum):
    """What a candidate's call returns."""

    VALUE = "the value"
    SLOPE = "the value, and its slope along ones"
    GRADIENTS = "the value and the gradients"
    JACOBIAN = "a dense Jacobian, arguments last"
    BLOCKS = "a sparse Jacobian: an array of blocks per argument"
    ROWS = "a sparse Jacobian: for each row of the blocks, an array per argument"
    OTHER = "what is not compared"


@dataclass(frozen=True, slots=True)
class Candidate:
    """How to call it for some arguments, what it returns, and of what it is a multiple.

    `base` is the candidate whose time is one: the primal in the same runtime. `ours` marks what
    adjointgen generates and is compared with the peers. `probed` marks what may not end within the
    limit, inside of compiled code that no signal reaches: it runs in a process of its own first.
    """

    build: Callable[[], Callable[[Arguments], Run]]
    gives: Gives = Gives.GRADIENTS
    base: str | None = None
    ours: bool = False
    probed: bool = False

    @property
    def compared(self) -> bool:
        """Whether it is all that a user wants: what each peer gives, and ours."""
        return self.gives not in (Gives.VALUE, Gives.SLOPE, Gives.OTHER)


@dataclass(frozen=True, slots=True)
class Case:
    """One row of a table."""

    name: str
    title: str
    inputs: Callable[[str], Arguments]
    candidates: Mapping[str, Candidate]
    sizes: tuple[str, ...] = ("medium",)
    sweeps: bool = False


PRIMAL, PRIMAL_NUMBA = "primal", "primal in Numba"
NUMPY, NUMBA = "NumPy target", "Numba target"
TANGENT, TANGENT_NUMBA = "tangent", "tangent in Numba"
PRIMAL_LOOPS, LOOPS = "primal loops in Numba", "Numba target of loops"
PYTHON = "Python target"
JAX, DIRECT, RESTRUCTURED = "JAX", "JAX line by line", "JAX restructured"
TORCH, AUTOGRAD = "PyTorch", "autograd"
CASADI, THEIRS = "CasADi", "tangent-ad"

RESTRUCTURED_NAMES = (
    *("syrk", "syr2k", "symm", "trmm", "cholesky", "lu", "ludcmp", "trisolv"),
    *("covariance", "correlation"),
)
DIRECT_NAMES = (
    *("syrk", "syr2k", "symm", "trmm", "doitgen"),
    *("cholesky", "lu", "ludcmp", "trisolv", "durbin", "gramschmidt"),
    *("seidel_2d", "adi", "deriche", "vadv"),
    *("covariance", "correlation", "floyd_warshall", "spmv", "azimint"),
    *("conv2d", "lenet", "resnet", "contour_integral", "self_energies"),
)
"""The kernels whose line-by-line version in JAX is not their usual one there."""
LARGER = {"kernels": "large"}
"""The size of a table that has a table of its own: times only."""
