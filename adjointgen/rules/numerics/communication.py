"""Messages between processes that run the same program: linear, with messages back as adjoints.

    send x to `dest`                 x_bar += what comes from `dest`
    y = what comes from `source`     send y_bar to `source`

Every rank runs the adjoint of its own program with its own seed; what it gets is the derivative of
the sum of all results. A message is an effect: it is neither repeated, nor dropped, nor moved
across another one, and it is answered on every rank (`analysis/differentiation/messages.py`). No
process waits for what it sends to be received. So a program waits only for messages that come, and
its tangent and adjoint do where it does not wait for ever: a tangent message stands beside its own,
and in the reverse sweep what was received before something was sent is sent after it. (Utke,
Hascoët, Heimbach, Hill, Hovland and Naumann 2009, Toward adjoinable MPI.)
"""

from __future__ import annotations

from typing import Any

from adjointgen.ir.types import INT, Type
from adjointgen.rules.framework.declare import constant, general, linear
from adjointgen.rules.framework.shape_helpers import zero_like
from adjointgen.rules.framework.type_rules import Options, Types, fresh

COST = 1e6
"""Additions, for a message."""
RUNTIME = "communication.py"


class Lone:
    """The communicator of a process that nobody sends to, for examples."""

    rank, size = 0, 1

    def Isend(self, x: Any, dest: int, tag: int) -> Lone:
        return self

    def Test(self) -> bool:
        return True


class Nobody:
    """The rank of no process, for examples."""

    def __eq__(self, other: object) -> bool:
        from mpi4py import MPI

        return other is self or other == MPI.PROC_NULL

    def __hash__(self) -> int:
        return 0


def like(place: int) -> Any:
    """The result has the type of this operand."""

    def infer(types: Types, options: Options) -> Types:
        one = types[place]
        return (one if one.is_scalar else fresh(one.dtype, one.shape),)

    return infer


def message(name: str, signature: str, tangent: Any, adjoint: Any, **fields: Any) -> None:
    """A message; `tangent` sends that of the operand, or zeros where it has none."""
    fields |= {"effect": True, "cost": COST, "message": True, "runtime": RUNTIME}
    general(name, signature, [], tangent, adjoint, **fields)


def given(derivative: Any, of: Any) -> Any:
    """A derivative, or a zero: what nothing depends on is sent as well."""
    return zero_like(of) if derivative is None else derivative


# To one process, and from one.


def _sends(name: str, back: Any) -> None:
    """A message without a result."""

    def tangent(b: Any, y: Any, args: Any, dots: Any, options: Options) -> Any:
        comm, x, *rest = args
        return comm.several(name, comm, given(dots[1], x), *rest)

    def adjoint(b: Any, y: Any, y_bar: Any, args: Any, options: Options) -> Any:
        comm, x, dest, tag = args
        return (None, back(b, comm, x, dest, tag), None, None)

    message(name, "comm, x, dest, tag", tangent, adjoint, infer=lambda types, options: ())


def _answer(b: Any, comm: Any, x: Any, dest: Any, tag: Any) -> Any:
    return comm.apply("mpi_receive", comm, zero_like(x), dest, tag)


def _answer_value(b: Any, comm: Any, x: Any, dest: Any, tag: Any) -> Any:
    return comm.apply("mpi_receive_value", comm, zero_like(x), dest, tag)


def _received_dot(b: Any, y: Any, args: Any, dots: Any, options: Options) -> Any:
    comm, held, *rest = args
    return comm.apply("mpi_receive", comm, given(dots[1], held), *rest)


def _sent_back(b: Any, y: Any, y_bar: Any, args: Any, options: Options) -> Any:
    comm, held, source, tag = args
    return _returned(b, comm, given(y_bar, held), held, source, tag)


def _returned(b: Any, comm: Any, bar: Any, held: Any, source: Any, tag: Any) -> Any:
    """The adjoint of a buffer goes back, and stays here where nothing has come."""
    comm.several("mpi_send", comm, bar, source, tag)
    _, by_held, *_ = b.wanted or (True, True)
    return (None, comm.apply("mpi_kept", comm, bar, source) if by_held else None, None, None)


def _any_dot(b: Any, y: Any, args: Any, dots: Any, options: Options) -> Any:
    comm, held, source = args
    return comm.several("mpi_receive_any", comm, given(dots[1], held), source)[0], None


def _any_back(b: Any, y: Any, y_bar: Any, args: Any, options: Options) -> Any:
    comm, held, source = args
    return _returned(b, comm, given(y_bar[0], held), held, source, y[1])[:3]


def _value_type(types: Types, options: Options) -> Types:
    """That of what stands for it, or an array of what rank comes."""
    return like(1)(types, options) if types[1].kind != "object" else (_unknown(options),)


def _unknown(options: Options) -> Type:
    rank = options.get("rank")
    if rank == 0:
        return Type("float64")
    return fresh("float64", None if rank is None else (None,) * rank)


def _value_dot(b: Any, y: Any, args: Any, dots: Any, options: Options) -> Any:
    return args[0].apply("mpi_receive_value", *args, **options)


def _value_back(b: Any, y: Any, y_bar: Any, args: Any, options: Options) -> Any:
    comm, _, source, tag = args
    comm.several("mpi_send_value", comm, given(y_bar, y), source, tag)
    return (None, None, None, None)


def _any_value_dot(b: Any, y: Any, args: Any, dots: Any, options: Options) -> Any:
    return args[0].several("mpi_receive_value_any", *args, **options)[0], None


def _any_value_back(b: Any, y: Any, y_bar: Any, args: Any, options: Options) -> Any:
    comm, source = args
    comm.several("mpi_send_value", comm, given(y_bar[0], y[0]), source, y[1])
    return (None, None)


_sends("mpi_send", _answer)
_sends("mpi_send_value", _answer_value)
message(
    "mpi_receive",
    "comm, held, source, tag",
    _received_dot,
    _sent_back,
    infer=like(1),
    domain=[(Lone(), "float64[3]", Nobody(), 0)],
)
message(
    "mpi_receive_any",
    "comm, held, source",
    _any_dot,
    _any_back,
    infer=lambda types, options: (*like(1)(types, options), INT),
    domain=[(Lone(), "float64[3]", Nobody())],
)
message(
    "mpi_receive_value",
    "comm, held, source, tag, rank=None",
    _value_dot,
    _value_back,
    infer=_value_type,
)
message(
    "mpi_receive_value_any",
    "comm, source, rank=None",
    _any_value_dot,
    _any_value_back,
    infer=lambda types, options: (_unknown(options), INT),
)
linear(
    "mpi_kept",
    "comm, x, source",
    [],
    {1: lambda y_bar, comm, x, source: comm.apply("mpi_kept", comm, y_bar, source)},
    infer=like(1),
    runtime=RUNTIME,
    domain=[(Lone(), "float64[3]", Nobody()), (Lone(), "float64", 0)],
)
for _mark in ("mpi_post", "mpi_due"):
    constant(
        _mark,
        "*operands..., request=0, part=False",
        [],
        infer=lambda types, options: (),
        because="it is a place in the program",
        effect=True,
    )
