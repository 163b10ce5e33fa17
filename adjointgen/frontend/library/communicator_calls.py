"""Methods of communicators of MPI: messages as values, and what they leave in buffers.

    comm.Send(a, d, 0)                    mpi_send(comm, a, d, 0)
    comm.Recv(b, s, 0)                    b[...] = mpi_receive(comm, b, s, 0)
    comm.Sendrecv(a, d, 0, b, s, 0)       the one after the other
    y = comm.recv(source=s, tag=0)        y = mpi_receive_value(comm, None, s, 0)

`request_calls.py` has those that are waited for later, `collective_calls.py` those of all processes
together. Other calls are copied as they stand, and refused where they are given floats, or may give
some.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Final

from adjointgen.errors import NoRule
from adjointgen.frontend.calls.call_arguments import arguments
from adjointgen.frontend.domain.abstract_values import Abstract, Method, Ref, Seq
from adjointgen.frontend.domain.module_tables import Communicator
from adjointgen.frontend.library import collective_calls, request_calls
from adjointgen.frontend.library.message_buffers import (
    Given,
    buffer,
    buffer_in,
    received,
    received_value,
    value,
)
from adjointgen.frontend.library.processes import is_communicator, number
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import content, read, shown_type
from adjointgen.ir.nodes import Value
from adjointgen.rules.framework.builder import const

_PARAMETERS: Final = {
    "Send": "buf dest tag",
    "Recv": "buf source tag",
    "send": "obj dest tag",
    "recv": "buf source tag",
    "Sendrecv": "sendbuf dest sendtag recvbuf source recvtag",
    "sendrecv": "sendobj dest sendtag recvbuf source recvtag",
    **request_calls.PARAMETERS,
    **collective_calls.PARAMETERS,
}
"""The parameters of the methods, as mpi4py has them."""
_NUMBERS: Final = ("Get_rank", "Get_size")
_USES: Final = re.compile(r"^\s*(import|from) mpi4py", re.MULTILINE)
_MAKERS: Final = ("Dup", "Clone", "Split", "Split_type", "Create", "Create_cart", "Sub")
"""Methods that give another communicator."""
_GIVES: Final = ("recv", "irecv", "sendrecv", "scatter", "reduce", "scan", "exscan")
"""Methods that may give a float, whatever they are given."""


def method(ctx: Context, node: ast.Call, method: Method) -> Abstract | None:
    """What a message gives; None for another object, method, or way to call it.

    Refuses other messages of floats (AG201): what another process sends may be differentiated
    there.
    """
    if not is_communicator(ctx, method.owner):
        if method.name in _PARAMETERS and _USES.search(ctx.frame.source.text):
            what = f"{method.name} may be a message of a communicator of MPI"
            help = "annotate the communicator, comm: MPI.Comm, or give an example call"
            ctx.refuse("AG201", what, help, node=node, kind=NoRule)
        return None
    optional = method.name in collective_calls.OPTIONAL
    args, keywords = (collective_calls.arguments if optional else arguments)(ctx, node)
    ctx.node = node
    if method.name in _NUMBERS and not args:
        return number(ctx, method.owner, method.name + "()")
    if method.name in _MAKERS:
        return _communicator(ctx, method, args, keywords)
    made = _message(ctx, method, args, keywords) if method.name in _PARAMETERS else None
    if made is None and not ctx.outlines.primal:
        given = [*args, *keywords.values()]
        if method.name in _GIVES or any(_has_floats(ctx, one) for one in given):
            what = f"no derivative rule for this {method.name} of a communicator"
            help = "send buffers of one dtype, numbers or arrays of floats, and sum with MPI.SUM"
            ctx.refuse("AG201", what, help, node=node, kind=NoRule)
    return made


def _message(
    ctx: Context, method: Method, args: Sequence[Abstract], keywords: Mapping[str, Abstract]
) -> Abstract | None:
    names = _PARAMETERS[method.name].split()
    if len(args) > len(names) or not keywords.keys() <= {*names}:
        return None
    given = {**dict(zip(names, args, strict=False)), **keywords}
    one = Given(ctx, read(ctx, method.owner), given)
    if method.name in collective_calls.PARAMETERS:
        return collective_calls.message(one, method.name)
    if method.name in request_calls.PARAMETERS:
        return request_calls.begun(one, method.name)
    return _one_to_one(one, method.name)


def _one_to_one(one: Given, name: str) -> Abstract | None:
    match name, one.given:
        case "Send", {"buf": x, "dest": dest}:
            return _sent(one, "mpi_send", buffer(one.ctx, x), dest, "tag")
        case "send", {"obj": x, "dest": dest}:
            return _sent(one, "mpi_send_value", value(one.ctx, x), dest, "tag")
        case "Recv", {"buf": held, "source": source}:
            return received(one, held, source, one.given.get("tag"))
        case "recv", {"source": source} if "buf" not in one.given:
            return received_value(one, source, one.given.get("tag"))
        case "Sendrecv", {"sendbuf": x, "dest": dest, "recvbuf": held, "source": source}:
            sent = buffer(one.ctx, x)
            if not isinstance(into := buffer_in(one.ctx, held), Ref):
                return None
            if sent is None or read(one.ctx, into).type.dtype != read(one.ctx, sent).type.dtype:
                return None
            _sent(one, "mpi_send", sent, dest, "sendtag")
            return received(one, held, source, one.given.get("recvtag"))
        case "sendrecv", {"sendobj": x, "dest": dest, "source": source}:
            sent = value(one.ctx, x)
            if sent is None or "recvbuf" in one.given:
                return None
            rank = read(one.ctx, sent).type.rank
            _sent(one, "mpi_send_value", sent, dest, "sendtag")
            return received_value(one, source, one.given.get("recvtag"), rank=rank)
    return None


def _sent(one: Given, op: str, x: Abstract | None, dest: Abstract, tag: str) -> Abstract | None:
    """A message that is on its way."""
    if x is None:
        return None
    return one.run(op, (x,), dest, one.given.get(tag, const(0)))


def _communicator(
    ctx: Context, method: Method, args: Sequence[Abstract], keywords: Mapping[str, Abstract]
) -> Value:
    """Another communicator, as the user's code makes it."""
    holes = Holes(ctx)
    shown = [holes.fill(a) for a in args] + [f"{k}={holes.fill(v)}" for k, v in keywords.items()]
    code = f"{holes.fill(method.owner)}.{method.name}({', '.join(shown)})"
    made = verbatim(ctx, code, holes.operands)
    ctx.tables[made.name] = Communicator()
    return made


def _has_floats(ctx: Context, value: Abstract) -> bool:
    """Whether this is a float, an array of floats, or a structure with one."""
    known = content(ctx, value)
    if isinstance(known, Seq):
        return any(_has_floats(ctx, item) for item in known.items)
    type = shown_type(ctx, ctx.state, value)
    return type.kind != "object" and type.is_differentiable
