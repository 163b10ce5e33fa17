"""Sparse Jacobians and Hessians by as few sweeps as their pattern allows.

    pattern of the executed graph → groups of columns or rows → one sweep each → entries read apart

A pattern holds for arguments of one shape until another sweep, along a random direction, differs
from what the entries make of it: then it is joined with that of the run at these arguments. What
still differs is an error, never a wrong entry. (Griewank and Walther 2008, chapters 7 and 8.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_array, issparse

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.calls.check_arguments import leaves_of
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.flat_sweeps import FlatPoint, FlatSweeps
from adjointgen.api.calls.modes import Wrt, grad, split, tangent
from adjointgen.api.calls.vector_sweeps import copies, plain, run
from adjointgen.api.calls.written_modes import with_lists
from adjointgen.api.programs.recipes import Compression
from adjointgen.config.compilers import PYTHON, Target
from adjointgen.errors import AdjointgenError, CheckFailed, TypeMismatch, Unsupported
from adjointgen.records import dataclass
from adjointgen.sparse.colouring import Groups, apart, star
from adjointgen.sparse.dependence import result_sets
from adjointgen.tracing.handle import trace

REVERSE_COST: Final = 2.5
"""What a reverse sweep costs, in tangent runs."""
LEAST: Final = 64.0
"""A difference of so many units in the last place asks for the pattern of another run."""
MOST: Final = 1e8
"""A difference of so many units is no rounding."""


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

    def reached(self, shape: tuple[int, ...]) -> Any:
        """Which numbers of the sweeps may differ from zero."""
        made = np.zeros(shape, bool)
        own, other = (self.rows, self.columns) if self.by_rows else (self.columns, self.rows)
        made[self.groups.of[own], other] = True
        return made


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
        self.noise: dict[Any, float] = {}
        self.random = np.random.default_rng(0)

    def __call__(self, *args: Any, **kwargs: Any) -> csr_array:
        values = self.binder.bind(args, kwargs)
        point, key = self.sweeps.at(values), tuple(map(_shape, values))
        if key not in self.plans:
            self.plans[key] = self.plan(self.pattern(values) if self.given is None else self.given)
        found, doubt = self.filled(point, self.plans[key])
        if doubt.ratio > self.noise.get(key, LEAST):
            more = self.joined(self.plans[key].pattern, values, doubt)
            if more is not None:
                self.plans[key] = self.plan(more)
                found, doubt = self.filled(point, self.plans[key])
            if doubt.ratio > MOST:
                raise _missing(doubt.row)
            # Sums that cancel are told from entries that are missing by another run, once.
            self.noise[key] = max(self.noise.get(key, LEAST), 4.0 * doubt.ratio)
        return found

    def joined(self, known: csr_array, values: tuple[Any, ...], doubt: Doubt) -> csr_array | None:
        """A pattern with the entries of the run at these arguments, if they are more.

        Raises CheckFailed (AG505) where one that was given lacks some of them.
        """
        if self.given is not None:
            if doubt.ratio > MOST:
                raise _missing(doubt.row)
            with suppress(AdjointgenError):
                lacking = self.pattern(values) > known
                if lacking.nnz:
                    raise _missing(int(lacking.nonzero()[0][0]))
            return None
        new = self.pattern(values)
        if new.shape != known.shape:
            return new
        both = csr_array(known + new, dtype=bool)
        return both if both.nnz > known.nnz else None

    def plan(self, pattern: csr_array) -> Plan:
        return plan_for(pattern, self.symmetric, self.sweeps.reverse is None)

    def pattern(self, values: tuple[Any, ...]) -> csr_array:
        """The pattern of a run at these arguments; of a gradient, that of its program."""
        names = self.binder.wrt(self.wrt)[0] or ...
        given = copies(self.binder, values)
        if isinstance(self.f, Derivative):
            generated = self.f.generated
            special = generated.special(values)
            # The first call may be compared with the function (`ADJOINTGEN_CHECK`), on copies.
            generated.apply(special, copies(self.binder, values), (), {})
            named = dict(zip(self.binder.names, given, strict=True))
            return sparsity(special.run, **named, wrt=names)

        def of_run(*args: Any, **kwargs: Any) -> csr_array:
            return sparsity(self.f, *args, wrt=names, **kwargs)

        try:
            return self.binder.call(of_run, given)
        except AdjointgenError:
            raise
        except (AttributeError, TypeError, ValueError) as error:
            # The function raises for arrays, too, or code in C has insisted on these.
            self.binder.call(self.f, copies(self.binder, values))
            raise Unsupported(
                f"code in C insists on arrays of NumPy's own, and a trace has none: {error}",
                code="AG160",
                help="write it with operations of Python, math and NumPy, or leave sparse out",
            ) from error

    def filled(self, point: FlatPoint, plan: Plan) -> tuple[csr_array, Doubt]:
        """The matrix, and where one more sweep, along a random direction, differs from it most."""
        direction = self.random.uniform(0.5, 1.5, point.inputs)
        along = point.along(direction)
        shape = len(along), point.inputs
        if plan.pattern.shape != shape:
            if self.given is None:
                return csr_array(shape), Doubt(np.inf, 0)
            raise TypeMismatch(
                f"the pattern has the shape {plan.pattern.shape}, and the Jacobian {shape}",
                code="AG405",
                help="structures are taken apart: a row for each number of the result",
            )
        seeds = (plan.groups.of == np.arange(plan.groups.count)[:, None]).astype(float)
        sweep = point.pulled if plan.by_rows else point.along
        width = plan.pattern.shape[1 if plan.by_rows else 0]
        made = np.stack([sweep(seed) for seed in seeds]) if len(seeds) else np.zeros((0, width))
        matrix = plan.matrix(made)
        return matrix, _doubt(plan, made, matrix, direction, along, point.precision)


def compression(
    f: Callable[..., Any], wrt: Wrt, arguments: Mapping[str, Any], of_gradient: bool
) -> Compression:
    """The pattern of the Jacobian of a function, or of its gradient, at these arguments.

    Raises CheckFailed (AG505) where it is not what a sweep along a direction gives.
    """
    work = Sparse(grad(f, wrt) if of_gradient else f, wrt, symmetric=of_gradient)
    values = tuple(arguments[name] for name in work.binder.names)
    plan = work.plan(work.pattern(values))
    point = work.sweeps.at(copies(work.binder, values))
    _, doubt = work.filled(point, plan)
    if doubt.ratio > MOST:
        raise _missing(doubt.row)
    mirrored = plan.at != (plan.columns if plan.by_rows else plan.rows)
    return Compression(
        (int(plan.pattern.shape[0]), int(plan.pattern.shape[1])),
        tuple(np.diff(plan.pattern.indptr).tolist()),
        tuple(plan.columns.tolist()),
        tuple(plan.groups.of.tolist()),
        plan.groups.count,
        tuple(mirrored.astype(int).tolist()),
        plan.by_rows,
        arguments,
        _result_shapes(work, values) if plan.by_rows else (),
        float(f"{LEAST * doubt.ratio * point.precision:.0e}") if doubt.ratio > LEAST else 0.0,
    )


def _result_shapes(work: Sparse, values: tuple[Any, ...]) -> list[list[tuple[int, ...]]]:
    """The shapes of the numbers and arrays of the result, lists of numbers taken apart or not."""
    y = run(work.f, work.binder, values)
    return [list(map(np.shape, parts)) for parts in (leaves_of(y), with_lists(y))]


@dataclass(frozen=True, slots=True)
class Doubt:
    """How much more than rounding can explain a row is off, and which."""

    ratio: float
    row: int


def _doubt(
    plan: Plan, sweeps: Any, matrix: csr_array, direction: Any, along: Any, precision: float
) -> Doubt:
    """What speaks against a pattern.

    A row that has no column in a group is exactly zero in the sweep of that group, whatever the
    sizes of its entries. Its product with the direction is that of the other sweep, to rounding. Of
    numbers that are not finite neither is known.
    """
    stray = np.argwhere((sweeps != 0.0) & np.isfinite(sweeps) & ~plan.reached(sweeps.shape))
    if len(stray):
        # Of a sweep of rows it is known which column, and not which row.
        return Doubt(np.inf, 0 if plan.by_rows else int(stray[0][1]))
    with np.errstate(invalid="ignore", over="ignore"):
        product, scale = matrix @ direction, abs(matrix) @ np.abs(direction)
        ratios = np.abs(product - along) / (precision * np.maximum(scale, np.abs(along)))
    ratios = np.where(product == along, 0.0, ratios)
    # Where nothing is known, another run is asked.
    ratios = np.where(np.isnan(ratios), 2.0 * LEAST, ratios)
    if not len(ratios):
        return Doubt(0.0, 0)
    row = int(np.argmax(ratios))
    return Doubt(float(ratios[row]), row)


def _missing(row: int) -> CheckFailed:
    return CheckFailed(
        f"row {row} of the sparse Jacobian is not what a sweep along a direction gives",
        code="AG505",
        help="an entry is missing from the pattern: leave sparse out, or give another one",
    )


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
