"""Messages of all processes together: each is linear, and its transpose is another of them.

    y = sum over ranks of x                    x_bar = sum over ranks of y_bar
    y = x of the root                          x_bar at the root = sum over ranks of y_bar
    y at the root = x of all, one after        x_bar = its part of y_bar of the root
        the other
    y = parts of x of all ranks, each sent     x_bar = parts of y_bar of all ranks
        the part with its number

What a rank gets nothing for stays what it was: `mpi_at_root(comm, y, held, root)`. Ranks that have
no buffer for what the root alone has, or gives, send and receive without one.
"""

from __future__ import annotations

from typing import Any

from adjointgen.ir.types import BOOL
from adjointgen.rules.framework.declare import constant, general
from adjointgen.rules.framework.shape_helpers import zero_like
from adjointgen.rules.framework.type_rules import Options
from adjointgen.rules.numerics.communication import RUNTIME, given, like, message


class Alone:
    """The communicator of one process, for examples."""

    rank, size = 0, 1

    def allreduce(self, x: Any) -> Any:
        return x

    def bcast(self, x: Any, root: int) -> Any:
        return x

    def reduce(self, x: Any, root: int) -> Any:
        return x

    def Bcast(self, x: Any, root: int) -> None:
        """The one process is the root, and has what it has."""

    def copied(self, x: Any, y: Any, *root: Any) -> None:
        y[...] = x

    Allreduce = Allgather = Alltoall = Reduce_scatter_block = copied

    def Reduce(self, x: Any, y: Any, *, root: int) -> None:
        y[...] = x

    Gather = Scatter = Reduce


def _together(name: str, back: str, signature: str, examples: list[Any], place: int = 1) -> None:
    """A message of all ranks, linear in its second operand, like the one at `place`.

    Its transpose is `back`; what comes with that has the shape of what was sent.
    """

    def tangent(b: Any, y: Any, args: Any, dots: Any, options: Options) -> Any:
        comm, x, *rest = args
        return comm.apply(name, comm, given(dots[1], x), *rest)

    def adjoint(b: Any, y: Any, y_bar: Any, args: Any, options: Options) -> Any:
        comm, x, *rest = args
        others = rest if place == 1 else (x, *rest[1:])
        made = comm.apply(back, comm, given(y_bar, args[place]), *others)
        return (None, made, *(None for _ in rest))

    shape: dict[str, Any] = {} if place == 1 else {"shape_of": place, "shape_only": True}
    message(
        name,
        signature,
        tangent,
        adjoint,
        infer=like(place),
        domain=[(Alone(), *example) for example in examples],
        **shape,
    )


_X: list[Any] = [("float64",), ("float64[3]",)]
_ROOTED: list[Any] = [(*x, 0) for x in _X]
_BUFFERS: list[Any] = [("float64[3]", (0.0, 0.0, 0.0))]

for _name, _back, _signature, _examples in (
    ("mpi_sum", "mpi_sum", "comm, x", _X),
    ("mpi_bcast", "mpi_sum_at", "comm, x, root", _ROOTED),
    ("mpi_sum_at", "mpi_bcast", "comm, x, root", _ROOTED),
):
    _together(_name, _back, _signature, _examples)
for _name, _back, _signature, _examples in (
    ("mpi_gather", "mpi_scatter", "comm, x, held, root", [(*both, 0) for both in _BUFFERS]),
    ("mpi_scatter", "mpi_gather", "comm, x, held, root", [(*both, 0) for both in _BUFFERS]),
    ("mpi_allgather", "mpi_sum_parts", "comm, x, held", _BUFFERS),
    ("mpi_sum_parts", "mpi_allgather", "comm, x, held", _BUFFERS),
    ("mpi_alltoall", "mpi_alltoall", "comm, x, held", _BUFFERS),
):
    _together(_name, _back, _signature, _examples, 2)


# Without a buffer for what only the root has.


def _to_root(name: str, back: Any) -> None:
    def tangent(b: Any, y: Any, args: Any, dots: Any, options: Options) -> Any:
        comm, x, root = args
        return comm.several(name, comm, given(dots[1], x), root)

    def adjoint(b: Any, y: Any, y_bar: Any, args: Any, options: Options) -> Any:
        return (None, back(*args), None)

    message(name, "comm, x, root", tangent, adjoint, infer=lambda types, options: ())


def _from_root_dot(b: Any, y: Any, args: Any, dots: Any, options: Options) -> Any:
    return args[0].apply("mpi_scatter_from", *args)


def _from_root_back(b: Any, y: Any, y_bar: Any, args: Any, options: Options) -> Any:
    comm, held, root = args
    comm.several("mpi_gather_to", comm, given(y_bar, held), root)
    return (None, None, None)


_to_root("mpi_gather_to", lambda comm, x, root: comm.apply("mpi_scatter_from", comm, x, root))
_to_root("mpi_sum_to", lambda comm, x, root: comm.apply("mpi_bcast", comm, zero_like(x), root))
message(
    "mpi_scatter_from",
    "comm, held, root",
    _from_root_dot,
    _from_root_back,
    infer=like(1),
    shape_of=1,
    shape_only=True,
)


def _kept_dot(b: Any, y: Any, args: Any, dots: Any, options: Options) -> Any:
    comm, x, held, root = args
    return comm.apply("mpi_at_root", comm, given(dots[1], x), given(dots[2], held), root)


def _kept_back(b: Any, y: Any, y_bar: Any, args: Any, options: Options) -> Any:
    comm, _, held, root = args
    _, by_x, by_held, _ = b.wanted or (True,) * len(args)
    zero = zero_like(held)
    x_bar = comm.apply("mpi_at_root", comm, y_bar, zero, root) if by_x else None
    held_bar = comm.apply("mpi_at_root", comm, zero, y_bar, root) if by_held else None
    return (None, x_bar, held_bar, None)


general(
    "mpi_at_root",
    "comm, x, held, root",
    [],
    _kept_dot,
    _kept_back,
    infer=like(2),
    runtime=RUNTIME,
    domain=[(Alone(), "float64[3]", "float64[3]", root) for root in (0, 1)],
)
constant(
    "mpi_is_root",
    "comm, root",
    [],
    infer=lambda types, options: (BOOL,),
    because="it is the number of a process",
    code="_0_.rank == _1_",
)
