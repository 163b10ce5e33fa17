"""Sparse Jacobians and Hessians by as few sweeps as their pattern allows.

    pattern of the executed graph → groups of columns or rows → one sweep each → entries read apart

A pattern holds for arguments of one shape until another sweep, along a random direction, differs
from what the entries make of it: then it is joined with that of the run at these arguments. What
still differs is an error, never a wrong entry. (Griewank and Walther 2008, chapters 7 and 8.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_array, issparse

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.flat_sweeps import FlatSweeps
from adjointgen.api.calls.modes import Wrt, split, tangent
from adjointgen.api.calls.vector_sweeps import copies, plain
from adjointgen.config.compilers import PYTHON, Target
from adjointgen.errors import CheckFailed, TypeMismatch
from adjointgen.records import dataclass
from adjointgen.sparse.colouring import Groups, apart, star
from adjointgen.sparse.dependence import result_sets
from adjointgen.tracing.handle import trace

REVERSE_COST: Final = 2.5
"""What a reverse sweep costs, in tangent runs."""


def sparsity(f: Callable[..., Any], /, *args: Any, wrt: Wrt = 0, **kwargs: Any) -> csr_array:
    """Which entries of the Jacobian can differ from zero, from one run at these arguments.

    A boolean matrix with a row for each number of the result and a column for each number of the
    arguments in `wrt`, in order; structures are taken apart. It holds for the branches that this
    run takes. Entries that cancel, or are zero at this point alone, are in it.

    Raises Unsupported (AG160) and NoRule (AG202) where the run cannot be traced.
    """
    rows, count = result_sets(trace(f, *args, wrt=wrt, **kwargs))
    ends = np.cumsum([0, *map(len, rows)])
    columns = np.array([k for row in rows for k in sorted(row)], np.intp)
    return csr_array((np.ones(len(columns), bool), columns, ends), shape=(len(rows), count))


@dataclass(frozen=True, slots=True)
class Plan:
    """A pattern, and the sweeps that give its entries.

    The entry at `rows[k]`, `columns[k]` of the matrix is that at `rows[k]` in the sweep `sweep[k]`
    of columns, or that at `columns[k]` in the sweep `sweep[k]` of rows.
    """

    pattern: csr_array
    rows: Any
    columns: Any
    at: Any
    sweep: Any
    groups: Groups
    by_rows: bool = False

    def matrix(self, sweeps: Any) -> csr_array:
        """The matrix of what the sweeps gave, one in each row of `sweeps`."""
        entries = sweeps[self.sweep, self.at]
        places = self.columns, self.pattern.indptr
        return csr_array((entries, *places), shape=self.pattern.shape)


def plan_for(pattern: csr_array, symmetric: bool = False, columns_only: bool = False) -> Plan:
    """The groups for a pattern: by columns or by rows, whichever costs less."""
    pattern = csr_array(pattern, dtype=bool)
    pattern.sum_duplicates()
    pattern.eliminate_zeros()
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    columns = pattern.indices
    if symmetric:
        return _symmetric(pattern, rows, columns)
    groups = apart(pattern)
    if not columns_only:
        other = apart(csr_array(pattern.T))
        if REVERSE_COST * other.count < groups.count:
            return Plan(pattern, rows, columns, columns, other.of[rows], other, True)
    return Plan(pattern, rows, columns, rows, groups.of[columns], groups)


def _symmetric(pattern: csr_array, rows: Any, columns: Any) -> Plan:
    """An entry and its mirror are read once, from a sweep in which they are alone."""
    pattern = csr_array(pattern + pattern.T, dtype=bool)
    pattern.sum_duplicates()
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    columns = pattern.indices
    groups = min(star(pattern), apart(pattern), key=lambda one: one.count)
    known, number = np.unique(rows * groups.count + groups.of[columns], return_counts=True)
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    alone = number[np.searchsorted(known, low * groups.count + groups.of[high])] == 1
    at, other = np.where(alone, low, high), np.where(alone, high, low)
    sweep = groups.of[other]
    return Plan(pattern, rows, columns, at, sweep, groups)


class Sparse:
    """The sparse Jacobian of a function by the arguments in `wrt`, or that of a gradient.

    Patterns and groups are kept for the shapes of arguments.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        wrt: Wrt,
        compile: Target = PYTHON,
        pattern: Any = True,
        symmetric: bool = False,
    ) -> None:
        self.f, self.wrt, self.symmetric = f, wrt, symmetric
        self.binder = Binder(plain(f))
        program = tangent(f, wrt, compile=compile)
        reverse = None if symmetric or isinstance(f, Derivative) else split(f, wrt)
        self.sweeps = FlatSweeps(program, reverse)
        self.given = None if pattern is True else _as_pattern(pattern)
        self.plans: dict[Any, Plan] = {}
        self.random = np.random.default_rng(0)

    def __call__(self, *args: Any, **kwargs: Any) -> csr_array:
        values = self.binder.bind(args, kwargs)
        key = tuple(map(_shape, values))
        if key not in self.plans:
            self.plans[key] = self.plan(self.pattern(values) if self.given is None else self.given)
        found, missing = self.filled(values, self.plans[key])
        if missing is not None and self.given is None:
            self.plans[key] = self.plan(self.plans[key].pattern + self.pattern(values))
            found, missing = self.filled(values, self.plans[key])
        if missing is not None:
            raise CheckFailed(
                f"row {missing} of the sparse Jacobian is not what a sweep along a direction gives",
                code="AG505",
                help="an entry is missing from the pattern: leave sparse out, or give another one",
            )
        return found

    def plan(self, pattern: csr_array) -> Plan:
        return plan_for(pattern, self.symmetric, self.sweeps.reverse is None)

    def pattern(self, values: tuple[Any, ...]) -> csr_array:
        """The pattern of a run at these arguments."""
        names = self.binder.wrt(self.wrt)[0]

        def of_run(*args: Any, **kwargs: Any) -> csr_array:
            return sparsity(self.f, *args, wrt=names or ..., **kwargs)

        return self.binder.call(of_run, copies(self.binder, values))

    def filled(self, values: tuple[Any, ...], plan: Plan) -> tuple[csr_array, int | None]:
        """The matrix, and the first row that a sweep along a random direction finds wrong."""
        runs = self.sweeps.at(values)
        direction = self.random.uniform(0.5, 1.5, runs.inputs)
        along = runs.along(direction)
        if plan.pattern.shape != (len(along), runs.inputs):
            raise TypeMismatch(
                f"the pattern has the shape {plan.pattern.shape}, and the Jacobian "
                f"{(len(along), runs.inputs)}",
                code="AG405",
                help="structures are taken apart: a row for each number of the result",
            )
        seeds = (plan.groups.of == np.arange(plan.groups.count)[:, None]).astype(float)
        sweep = runs.pulled if plan.by_rows else runs.along
        shape = (0, plan.pattern.shape[1 if plan.by_rows else 0])
        made = np.stack([sweep(seed) for seed in seeds]) if len(seeds) else np.zeros(shape)
        matrix = plan.matrix(made)
        return matrix, _first_wrong(matrix, direction, along)


def _first_wrong(matrix: csr_array, direction: Any, along: Any) -> int | None:
    """The first row whose product with the direction is not what the sweep along it gave."""
    precision = 1e-4 if along.dtype.itemsize < 8 else 1e-8
    with np.errstate(invalid="ignore"):
        scale = abs(matrix) @ np.abs(direction)
        wrong = np.abs(matrix @ direction - along) > precision * np.maximum(scale, np.abs(along))
        wrong |= np.isnan(matrix @ direction) != np.isnan(along)
    places = np.flatnonzero(wrong)
    return int(places[0]) if len(places) else None


def _as_pattern(pattern: Any) -> csr_array:
    """A pattern that is given: a sparse matrix, or an array of truth values or numbers."""
    if not issparse(pattern) and np.ndim(pattern) != 2:
        raise TypeMismatch(
            f"sparse={pattern!r:.40} is no pattern",
            code="AG415",
            help="pass True, or a matrix that is not zero where the Jacobian may not be",
        )
    return csr_array(pattern, dtype=bool)


def _shape(value: Any) -> Any:
    """What tells arguments whose patterns may differ: shapes, and what is no floating number."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.kind
    if isinstance(value, tuple | list):
        return type(value), tuple(map(_shape, value))
    if isinstance(value, dict):
        return tuple((key, _shape(one)) for key, one in value.items())
    if isinstance(value, int | str | None):
        return value
    return type(value)
