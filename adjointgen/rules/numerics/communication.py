"""Messages between processes that run the same program: linear, with messages back as adjoints.

    y = sum over ranks of x          x_bar = sum over ranks of y_bar
    y = x of the root                x_bar at the root = sum over ranks of y_bar
    y = x of the rank `source`,      x_bar = y_bar of the rank `dest`
        which sends to `dest`

Every rank runs the adjoint of its own program with its own seed; what it gets is the derivative of
the sum of all results. A message is an effect: it is neither repeated, nor dropped, nor moved
across another one. (Utke, Hascoët, Heimbach, Hill, Hovland and Naumann 2009, Toward adjoinable
MPI.)
"""

from __future__ import annotations

from typing import Any

from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import zero_like
from adjointgen.rules.framework.type_rules import Options, Types, fresh


class Alone:
    """The communicator of one process, for examples."""

    rank, size = 0, 1

    def allreduce(self, x: Any) -> Any:
        return x

    def Allreduce(self, x: Any, total: Any) -> None:
        total[...] = x

    def bcast(self, x: Any, root: int) -> Any:
        return x

    def Bcast(self, x: Any, root: int) -> None:
        """The one process is the root, and has what it has."""

    def Sendrecv(self, *given: Any) -> None:
        sent, _, _, received, source, _ = given
        if source == 0:
            received[...] = sent


class Nobody:
    """The rank of no process, for examples."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


COST = 1e6
"""Additions, for a message."""


def _like(place: int) -> Any:
    def infer(types: Types, options: Options) -> Types:
        one = types[place]
        return (one if one.is_scalar else fresh(one.dtype, one.shape),)

    return infer


def _linear(name: str, signature: str, back: Any, *rest: Any, effect: bool = True) -> None:
    """A message that is linear in its second operand; `back` sends an adjoint."""

    def tangent(b: Any, y: Any, args: Any, dots: Any, options: Options) -> Any:
        comm, _, *rest = args
        return None if dots[1] is None else comm.apply(name, comm, dots[1], *rest)

    def adjoint(b: Any, y: Any, y_bar: Any, args: Any, options: Options) -> Any:
        comm, _, *rest = args
        return (None, back(comm, y_bar, *rest), *(None for _ in rest))

    examples = [(Alone(), x, *rest) for x in ("float64", "float64[3]")]
    _message(name, signature, tangent, adjoint, 1, examples, effect)


def _message(
    name: str,
    signature: str,
    tangent: Any,
    adjoint: Any,
    like: int,
    domain: list[Any],
    effect: bool = True,
) -> None:
    fields: dict[str, Any] = {"domain": domain, "effect": effect, "cost": COST}
    fields |= {"message": effect, "runtime": "communication.py", "infer": _like(like)}
    general(name, signature, [], tangent, adjoint, **fields)


def _exchanged(b: Any, y: Any, args: Any, dots: Any, options: Options) -> Any:
    comm, sent, held, *rest = args
    sent_dot = zero_like(sent) if dots[1] is None else dots[1]
    held_dot = zero_like(held) if dots[2] is None else dots[2]
    return comm.apply("mpi_exchange", comm, sent_dot, held_dot, *rest)


def _sent_back(b: Any, y: Any, y_bar: Any, args: Any, options: Options) -> Any:
    comm, sent, _, dest, source, tag, other = args
    back = source, dest, other, tag
    # What is asked for is the same on all ranks: either each sends its adjoint back, or none does.
    _, by_sent, by_held, *_ = b.wanted or (True,) * len(args)
    sent_bar = comm.apply("mpi_exchange", comm, y_bar, zero_like(sent), *back) if by_sent else None
    held_bar = comm.apply("mpi_kept", comm, y_bar, source) if by_held else None
    return (None, sent_bar, held_bar, None, None, None, None)


_linear("mpi_sum", "comm, x", lambda comm, y_bar: comm.apply("mpi_sum", comm, y_bar))
_linear(
    "mpi_bcast",
    "comm, x, root",
    lambda comm, y_bar, root: comm.apply("mpi_sum_at", comm, y_bar, root),
    0,
)
_linear(
    "mpi_sum_at",
    "comm, x, root",
    lambda comm, y_bar, root: comm.apply("mpi_bcast", comm, y_bar, root),
    0,
)
_linear(
    "mpi_kept",
    "comm, x, source",
    lambda comm, y_bar, source: comm.apply("mpi_kept", comm, y_bar, source),
    Nobody(),
    effect=False,
)
_message(
    "mpi_exchange",
    "comm, sent, held, dest, source, tag, other",
    _exchanged,
    _sent_back,
    2,
    [(Alone(), "float64[3]", "float64[3]", 0, 0, 0, 0)],
)
