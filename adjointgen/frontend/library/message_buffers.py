"""What messages are made of: buffers and values of floats, and the processes that they go to."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from adjointgen.frontend.control.branches import branch
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import content, lies_in_order, read, write
from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.ir.types import BOOL
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import const


@dataclass(frozen=True, slots=True)
class Given:
    """A call of a method of a communicator, its arguments by the names of the parameters."""

    ctx: Context
    comm: Operand
    given: Mapping[str, Abstract]

    def apply(
        self, op: str, data: tuple[Abstract, ...], *rest: Abstract, **options: Any
    ) -> Value | None:
        """What a message of numbers or arrays gives; None for one of other objects."""
        made = self.several(op, data, *rest, **options)
        return made[0] if made else None

    def run(self, op: str, data: tuple[Abstract, ...], *rest: Abstract) -> Abstract | None:
        """A message without a result, likewise."""
        return None if self.several(op, data, *rest) is None else const(None)

    def several(
        self, op: str, data: tuple[Abstract, ...], *rest: Abstract, **options: Any
    ) -> tuple[Value, ...] | None:
        first, others = ([read(self.ctx, one) for one in given] for given in (data, rest))
        if len({o.type.dtype for o in first}) > 1:
            # A message is memory: its entries are those of both buffers.
            return None
        if any(o.type.kind not in ("scalar", "object") for o in others):
            return None
        return self.ctx.apply_many(op, (self.comm, *first, *others), options)


def buffer_in(ctx: Context, given: Abstract) -> Abstract | None:
    """An array that is a buffer, also one that is listed with its datatype; None for others."""
    known = content(ctx, given)
    if (
        isinstance(known, Seq)
        and len(known.items) == 2
        and spelled(ctx, known.items[1]).endswith(_DATATYPES)
    ):
        given = known.items[0]
    if not isinstance(given, Value | Ref) or isinstance(content(ctx, given), Seq):
        return None
    type = read(ctx, given).type
    return given if type.is_array and type.rank != 0 and type.dtype in _DTYPES else None


def buffer(ctx: Context, given: Abstract) -> Abstract | None:
    """The same, whose entries lie in the order of C."""
    found = buffer_in(ctx, given)
    if found is None or read(ctx, found).type.rank == 1:
        return found
    if not (isinstance(found, Ref) and lies_in_order(ctx, found)):
        _check_order(ctx, found)
    return found


def _check_order(ctx: Context, given: Abstract) -> None:
    """Raise ValueError for another order in memory: a message is memory, in the order it lies in.

    Programs send and receive entries in the order of C.
    """
    test = verbatim(ctx, "_0_.flags.c_contiguous", (read(ctx, given),), BOOL, pure=True)
    names = frozenset(name for frame, name in ctx.state.names if frame == ctx.frame.number)
    what = "a message that is differentiated is of an array in the order of C"
    ends = lambda: fails(ctx, "ValueError", what)  # noqa: E731
    branch(ctx, test, lambda: None, ends, ctx.live | names, ctx.node or ast.Pass())


def value(ctx: Context, given: Abstract) -> Abstract | None:
    """A float, or an array of floats; None for others."""
    found = numbers(ctx, given)
    return found if found is not None and read(ctx, given).type.dtype == "float64" else None


def numbers(ctx: Context, given: Abstract) -> Abstract | None:
    """A number, or an array of numbers; None for others."""
    if isinstance(content(ctx, given), Seq | Struct):
        return None
    type = read(ctx, given).type
    plain = type.kind in ("scalar", "array") and type.rank is not None
    return given if plain and not type.dtype.startswith("complex") else None


def received(
    one: Given, given: Abstract, source: Abstract, tag: Abstract | None
) -> Abstract | None:
    """What comes is in the buffer."""
    held = buffer(one.ctx, given)
    if not isinstance(held, Ref):
        return None
    if tag is None or is_any_tag(one.ctx, tag):
        made = one.several("mpi_receive_any", (held,), source)
    else:
        made = one.several("mpi_receive", (held,), source, tag)
    if not made:
        return None
    write(one.ctx, held, made[0])
    return const(None)


def received_value(
    one: Given, source: Abstract, tag: Abstract | None, **options: Any
) -> Abstract | None:
    """The number or array that comes."""
    if tag is None or is_any_tag(one.ctx, tag):
        made = one.several("mpi_receive_value_any", (), source, **options)
        return made[0] if made else None
    return one.apply("mpi_receive_value", (const(None),), source, tag, **options)


def is_any_tag(ctx: Context, tag: Abstract) -> bool:
    """Whether this is `MPI.ANY_TAG`, as it is written."""
    return spelled(ctx, tag).endswith("MPI.ANY_TAG")


def spelled(ctx: Context, given: Abstract) -> str:
    """The text of a name of a library, also of one that is read where the program runs."""
    match given:
        case Named(spelling=text) | Outside(text=text):
            return text
        case Value():
            made = (s for s in reversed(ctx.blocks[-1]) if isinstance(s, Apply))
            found = next((s for s in made if given in s.results), None)
            return "" if found is None else str(found.option("code", ""))
    return ""


_DTYPES = ("float64", "float32")
_DATATYPES = ("MPI.DOUBLE", "MPI.FLOAT", "MPI.FLOAT64", "MPI.FLOAT32")
