"""Messages of all processes together: what each of them has afterwards.

s = comm.allreduce(x)                 s = mpi_sum(comm, x)
comm.Reduce(x, y, root=0)             y[...] = mpi_at_root(comm, mpi_sum_at(comm, x, 0), y, 0)
comm.Allgather(x, y)                  y[...] = mpi_allgather(comm, x, y)
"""

from __future__ import annotations

from typing import Final

from adjointgen.frontend.domain.abstract_values import Abstract, Ref, maybe
from adjointgen.frontend.library.message_buffers import Given, buffer, spelled, value
from adjointgen.frontend.state.storage_cells import read, write
from adjointgen.rules.framework.builder import const

PARAMETERS: Final = {
    "allreduce": "sendobj op",
    "bcast": "obj root",
    "reduce": "sendobj op root",
    "Allreduce": "sendbuf recvbuf op",
    "Bcast": "buf root",
    "Reduce": "sendbuf recvbuf op root",
    "Gather": "sendbuf recvbuf root",
    "Scatter": "sendbuf recvbuf root",
    "Allgather": "sendbuf recvbuf",
    "Alltoall": "sendbuf recvbuf",
}
_SUM: Final = "MPI.SUM"
_FILLED: Final = {
    "Allreduce": "mpi_sum",
    "Reduce": "mpi_sum_at",
    "Gather": "mpi_gather",
    "Scatter": "mpi_scatter",
    "Allgather": "mpi_allgather",
    "Alltoall": "mpi_alltoall",
}


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
            return _reduced(one, x, root)
        case "Bcast", {"buf": held}:
            return _filled(one, name, held, held, root)
        case _, {"sendbuf": x, "recvbuf": held}:
            return _filled(one, name, x, held, root)
    return None


def _of_value(one: Given, op: str, x: Abstract, *root: Abstract) -> Abstract | None:
    found = value(one.ctx, x)
    return None if found is None else one.apply(op, (found,), *root)


def _reduced(one: Given, x: Abstract, root: Abstract) -> Abstract | None:
    """The sum at the root, and None elsewhere."""
    made = _of_value(one, "mpi_sum_at", x, root)
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
