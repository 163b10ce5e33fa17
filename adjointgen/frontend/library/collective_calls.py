"""Messages of all processes together: what each of them has afterwards.

s = comm.allreduce(x)                 s = mpi_sum(comm, x)
comm.Reduce(x, y, root=0)             y[...] = mpi_at_root(comm, mpi_sum_at(comm, x, 0), y, 0)
comm.Allgather(x, y)                  y[...] = mpi_allgather(comm, x, y)
"""

from __future__ import annotations

import ast
from typing import Final

from adjointgen.errors import NoRule
from adjointgen.frontend.calls.call_arguments import arguments as arguments_of
from adjointgen.frontend.control.branches import branch
from adjointgen.frontend.control.none_flags import asked
from adjointgen.frontend.domain.abstract_values import Abstract, Ref, is_maybe, maybe
from adjointgen.frontend.library.message_buffers import Given, buffer, numbers, spelled, value
from adjointgen.frontend.library.processes import number
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import read, write
from adjointgen.ir.nodes import Const, Value
from adjointgen.rules.framework.builder import const

PARAMETERS: Final = {
    "allreduce": "sendobj op",
    "bcast": "obj root",
    "reduce": "sendobj op root",
    "gather": "sendobj root",
    "allgather": "sendobj",
    "Allreduce": "sendbuf recvbuf op",
    "Bcast": "buf root",
    "Reduce": "sendbuf recvbuf op root",
    "Gather": "sendbuf recvbuf root",
    "Scatter": "sendbuf recvbuf root",
    "Allgather": "sendbuf recvbuf",
    "Alltoall": "sendbuf recvbuf",
}
OPTIONAL: Final = {"Reduce": "recvbuf", "Gather": "recvbuf", "Scatter": "sendbuf"}
"""The buffers that the root alone has: None elsewhere, or not used."""
_SUM: Final = "MPI.SUM"
_FILLED: Final = {
    "Allreduce": "mpi_sum",
    "Reduce": "mpi_sum_at",
    "Gather": "mpi_gather",
    "Scatter": "mpi_scatter",
    "Allgather": "mpi_allgather",
    "Alltoall": "mpi_alltoall",
}


def arguments(ctx: Context, node: ast.Call) -> tuple[list[Abstract], dict[str, Abstract]]:
    """The arguments of a call; one that may be None is left so."""
    if any(isinstance(arg, ast.Starred) for arg in node.args) or None in [
        keyword.arg for keyword in node.keywords
    ]:
        return arguments_of(ctx, node)
    args = [ctx.perhaps(arg) for arg in node.args]
    return args, {str(keyword.arg): ctx.perhaps(keyword.value) for keyword in node.keywords}


def message(one: Given, name: str) -> Abstract | None:
    """What a message gives; None for one of other objects, or that is no sum."""
    given = dict(one.given)
    if "op" in given and not spelled(one.ctx, given.pop("op")).endswith(_SUM):
        return None
    root = given.get("root", const(0))
    match name, given:
        case "allreduce", {"sendobj": x}:
            return _of_value(one, "mpi_sum", x)
        case "bcast", {"obj": x}:
            return _of_value(one, "mpi_bcast", x, root)
        case "reduce", {"sendobj": x}:
            return _of_root(one, _of_value(one, "mpi_sum_at", x, root), root)
        case "allgather", {"sendobj": x}:
            return _listed(one, "mpi_allgather", x)
        case "gather", {"sendobj": x}:
            return _of_root(one, _listed(one, "mpi_gather", x, root), root)
        case _, {"sendbuf": x, "recvbuf": held} if name in OPTIONAL:
            return _rooted(one, name, x, held, root)
        case "Bcast", {"buf": held}:
            return _filled(one, name, held, held, root)
        case _, {"sendbuf": x, "recvbuf": held}:
            return _filled(one, name, x, held, root)
    return None


def _rooted(one: Given, name: str, x: Abstract, held: Abstract, root: Abstract) -> Abstract | None:
    """A message of which the root has a buffer that the others may not have."""
    ctx, sent = one.ctx, OPTIONAL[name] == "sendbuf"
    own = x if sent else held
    if isinstance(own, Value | Const) and own.type.kind == "object":
        # None, or nothing that is known; the root needs a buffer, and says so if it has none.
        return _bufferless(one, name, held if sent else x, root)
    if not is_maybe(own):
        return _filled(one, name, x, held, root)
    there, given = asked(ctx, own), own.items[1]
    data = (given, held) if sent else (x, given)

    def with_buffer() -> None:
        _required(ctx, name, _filled(one, name, *data, root))

    def without() -> None:
        _required(ctx, name, _bufferless(one, name, held if sent else x, root))

    live = ctx.live | frozenset(n for f, n in ctx.state.names if f == ctx.frame.number)
    branch(ctx, there, with_buffer, without, live, ctx.node)
    return const(None)


def _required(ctx: Context, name: str, made: Abstract | None) -> None:
    if made is None:
        what, help = f"no derivative rule for this {name}", "use buffers of floats, of one dtype"
        ctx.refuse("AG201", what, help, kind=NoRule)


def _bufferless(one: Given, name: str, data: Abstract, root: Abstract) -> Abstract | None:
    """What a rank does that is not the root."""
    found = buffer(one.ctx, data)
    if found is None:
        return None
    if name != "Scatter":
        return one.run("mpi_sum_to" if name == "Reduce" else "mpi_gather_to", (found,), root)
    made = one.apply("mpi_scatter_from", (found,), root) if isinstance(found, Ref) else None
    if made is None or not isinstance(found, Ref):
        return None
    write(one.ctx, found, made)
    return const(None)


def _of_value(one: Given, op: str, x: Abstract, *root: Abstract) -> Value | None:
    found = numbers(one.ctx, x)
    return None if found is None else one.apply(op, (found,), *root)


def _listed(one: Given, op: str, x: Abstract, *root: Abstract) -> Value | None:
    """The numbers of all ranks, as a list."""
    found, size = value(one.ctx, x), number(one.ctx, one.comm, "size")
    if found is None or size is None or not (own := read(one.ctx, found)).type.is_scalar:
        return None
    parts = one.ctx.apply("full", const(1), own), one.ctx.apply("zeros", size)
    made = one.apply(op, parts, *root)
    return None if made is None else one.ctx.apply("tolist", made)


def _of_root(one: Given, made: Abstract | None, root: Abstract) -> Abstract | None:
    """What the root has, and None elsewhere."""
    if made is None:
        return None
    there = one.ctx.apply("mpi_is_root", one.comm, read(one.ctx, root))
    one.ctx.memo["reduced", there] = True
    return maybe(there, made)


def _filled(
    one: Given, name: str, given: Abstract, into: Abstract, root: Abstract
) -> Abstract | None:
    """What the buffer holds afterwards: where nothing comes, what it held."""
    x, held = buffer(one.ctx, given), buffer(one.ctx, into)
    if x is None or not isinstance(held, Ref):
        return None
    if read(one.ctx, x).type.dtype != read(one.ctx, held).type.dtype:
        return None
    rooted = (root,) if name in ("Bcast", "Reduce", "Gather", "Scatter") else ()
    shape = (held,) if name in ("Gather", "Scatter", "Allgather", "Alltoall") else ()
    made = one.apply(_FILLED.get(name, "mpi_bcast"), (x, *shape), *rooted)
    if made is not None and name in ("Reduce", "Gather"):
        made = one.apply("mpi_at_root", (made, held), root)
    if made is None:
        return None
    write(one.ctx, held, made)
    return const(None)
