"""What is done to a user's function: one derivative after another, innermost first.

`grad` alone is the gradient, `grad` then `tangent` the Hessian-vector program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.config.modes import Kind
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Compression:
    """The pattern of a sparse Jacobian at an example, and the groups of its columns or rows.

    Row `i` has `lengths[i]` entries, in these `columns`; there are `count` groups. What is
    `mirrored` of a symmetric matrix is read where its mirror image stands. `arguments` are those of
    the example; of sweeps `by_rows` the `results` have shapes of one of these rows, in which lists
    of numbers are taken apart, or not. At the example, rows differ
    from another sweep by `noise`, as a part of their size, if that is more than rounding.
    """

    shape: tuple[int, int]
    lengths: tuple[int, ...]
    columns: tuple[int, ...]
    groups: tuple[int, ...]
    count: int
    mirrored: tuple[int, ...]
    by_rows: bool
    arguments: Mapping[str, Any]
    results: Sequence[Sequence[tuple[int, ...]]] = ()
    noise: float = 0.0


@dataclass(frozen=True, slots=True)
class Step:
    """One derivative: its kind, and the names of what is differentiated (None: all floats).

    `primal` is none: the function as it is, read and written back. `forward` is an adjoint in two
    functions: the forward sweep, and the reverse sweep that reads the tape of the former. `taylor`
    has the Taylor coefficients of the results, `jacobian` the dense Jacobian without the value, and
    `sparse` that of a pattern, by its `compression`. A tangent that is `alone` is without the
    value, too.

    With `directions`, which only the last can have, each seed and each derivative has an axis more,
    its last, of that length. A gradient by `several` is a tuple, of one as well. With `aux` the
    function returns a pair, of which the second entry is handed back, and not differentiated.
    `checkpoint` is the schedule of its outermost loops, `directives` hold for all statements that
    they are about. A program for a `batch` has an axis more, its first, in the arguments at these
    places and in its results. A `written` program is one of a module: its tape has a class, and it
    makes instances itself.
    """

    kind: Kind
    wrt: tuple[str, ...] | None = None
    directions: int = 0
    several: bool = False
    aux: bool = False
    checkpoint: str = ""
    written: bool = False
    directives: tuple[str, ...] = ()
    batch: tuple[str, ...] = ()
    alone: bool = False
    compression: Compression | None = None


Recipe = tuple[Step, ...]


def is_reverse(kind: Kind) -> bool:
    """Whether a derivative has a reverse sweep."""
    return kind in ("adjoint", "grad", "value_and_grad", "forward")


__all__ = ["Compression", "Kind", "Recipe", "Step", "is_reverse"]
