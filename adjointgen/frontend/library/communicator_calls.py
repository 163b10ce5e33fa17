"""Methods of communicators of MPI: messages as values, and what they leave in buffers.

    s = comm.allreduce(x)                 s = mpi_sum(comm, x)
    comm.Sendrecv(a, d, 0, b, s, 0)       b[...] = mpi_exchange(comm, a, b, d, s, 0, 0)

Other calls are copied as they stand, and refused where they are given what is differentiated.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Final

from adjointgen.errors import NoRule
from adjointgen.frontend.calls.call_arguments import arguments
from adjointgen.frontend.domain.abstract_values import Abstract, Method, Named, Outside, Ref
from adjointgen.frontend.domain.module_tables import Communicator, layout_of
from adjointgen.frontend.functions.inlining import in_module
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import living
from adjointgen.frontend.state.storage_cells import content, read, shown_type, write
from adjointgen.ir.nodes import Operand, Value
from adjointgen.rules.framework.builder import const

_PARAMETERS: Final = {
    "allreduce": "sendobj op",
    "bcast": "obj root",
    "Allreduce": "sendbuf recvbuf op",
    "Bcast": "buf root",
    "Sendrecv": "sendbuf dest sendtag recvbuf source recvtag",
}
"""The parameters of the methods, as mpi4py has them."""
_SUM: Final = "MPI.SUM"


def method(ctx: Context, node: ast.Call, method: Method) -> Abstract | None:
    """What a message gives; None for another object, method, or way to call it.

    Refuses other messages that fill a buffer of floats (AG201): what another process sends may be
    differentiated there.
    """
    if not _is_communicator(ctx, method.owner):
        return None
    args, keywords = arguments(ctx, node)
    ctx.node = node
    made = _message(ctx, method, args, keywords) if method.name in _PARAMETERS else None
    if made is None and method.name[0].isupper() and not ctx.outlines.primal:
        given = (shown_type(ctx, ctx.state, one) for one in (*args, *keywords.values()))
        if any(type.is_array and type.is_differentiable for type in given):
            what = f"no derivative rule for {method.name} of a communicator"
            help = "use allreduce, bcast or Sendrecv, of buffers of one dtype"
            ctx.refuse("AG201", what, help, node=node, kind=NoRule)
    return made


def _message(
    ctx: Context, method: Method, args: Sequence[Abstract], keywords: Mapping[str, Abstract]
) -> Abstract | None:
    names = _PARAMETERS[method.name].split()
    if len(args) > len(names) or not keywords.keys() <= {*names}:
        return None
    given = {**dict(zip(names, args, strict=False)), **keywords}
    if "op" in given and not _is_sum(given.pop("op")):
        return None
    comm = read(ctx, method.owner)
    match method.name, given:
        case "allreduce", {"sendobj": x}:
            return _applied(ctx, "mpi_sum", comm, (x,))
        case "bcast", {"obj": x}:
            return _applied(ctx, "mpi_bcast", comm, (x,), (given.get("root", const(0)),))
        case "Allreduce", {"sendbuf": x, "recvbuf": Ref() as held}:
            return _received(ctx, held, _applied(ctx, "mpi_sum", comm, (x,)))
        case "Bcast", {"buf": Ref() as held}:
            root = given.get("root", const(0))
            return _received(ctx, held, _applied(ctx, "mpi_bcast", comm, (held,), (root,)))
        case "Sendrecv", {"sendbuf": x, "dest": dest, "recvbuf": Ref() as held, "source": source}:
            tags = given.get("sendtag", const(0)), given.get("recvtag")
            if tags[1] is None and "sendtag" in given:
                return None
            rest = (dest, source, tags[0], tags[1] or const(0))
            made = _applied(ctx, "mpi_exchange", comm, (x, held), rest)
            return _received(ctx, held, made)
    return None


def _applied(
    ctx: Context, op: str, comm: Operand, data: Sequence[Abstract], rest: Sequence[Abstract] = ()
) -> Value | None:
    """A message of numbers or arrays; None for one of other objects."""
    data, others = ([read(ctx, one) for one in given] for given in (data, rest))
    if any(o.type.kind not in ("scalar", "array") or o.type.rank is None for o in data):
        return None
    if len({o.type.dtype for o in data}) > 1:
        # A message is memory: its entries are those of both buffers.
        return None
    if any(o.type.kind not in ("scalar", "object") for o in others):
        return None
    return ctx.apply(op, comm, *data, *others)


def _received(ctx: Context, held: Ref, made: Value | None) -> Abstract | None:
    """What was received is in the buffer."""
    if made is None or not made.type.is_array:
        return None
    write(ctx, held, made)
    return const(None)


def _is_sum(op: Abstract) -> bool:
    match op:
        case Named(spelling=spelling):
            return spelling.endswith(_SUM)
        case Outside(text=text):
            return text.endswith(_SUM)
    return False


def _is_communicator(ctx: Context, owner: Abstract) -> bool:
    own = living(ctx, content(ctx, owner))
    if own is not None:
        return isinstance(layout_of(own.value), Communicator)
    match owner:
        case Outside(table=Communicator()) | Named(spelling="mpi4py.MPI.COMM_WORLD"):
            return True
        case Outside(text=text, table=None):
            source = ctx.frame.source
            made = source.resolver.definition(text)
            known = in_module(ctx, source, made) if isinstance(made, ast.expr) else None
            return isinstance(known, Named) and known.spelling == "mpi4py.MPI.COMM_WORLD"
        case Value(name=name):
            return isinstance(ctx.tables.get(name), Communicator)
    return False
