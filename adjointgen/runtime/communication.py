"""Messages between processes, as values: what a communicator of MPI leaves in a buffer.

Nothing here imports the package: the source is copied into the generated modules that call it.
"""

from typing import Any

import numpy as np


def mpi_sum(comm: Any, x: Any) -> Any:
    """The sum of `x` over all processes, on each of them."""
    if not isinstance(x, np.ndarray):
        return comm.allreduce(x)
    total = np.empty_like(x)
    comm.Allreduce(np.ascontiguousarray(x), total)
    return total


def mpi_bcast(comm: Any, x: Any, root: int) -> Any:
    """What `x` is at the process `root`."""
    if not isinstance(x, np.ndarray):
        return comm.bcast(x, root)
    held = np.array(x)
    comm.Bcast(held, root)
    return held


def mpi_sum_at(comm: Any, x: Any, root: int) -> Any:
    """The sum of `x` over all processes at `root`, and zero elsewhere."""
    total = mpi_sum(comm, x)
    return total if comm.rank == root else np.zeros_like(total)[()]


def mpi_exchange(
    comm: Any, sent: Any, held: Any, dest: int, source: int, tag: int, other: int
) -> Any:
    """What `Sendrecv` leaves in a buffer that held `held`; from no process, it stays as it is.

    Raises ValueError for a message from any process: an adjoint would not know where to send.
    """
    from mpi4py import MPI

    if source == MPI.ANY_SOURCE or other == MPI.ANY_TAG:
        raise ValueError("a message that is differentiated has one source and one tag")
    received = np.array(held)
    comm.Sendrecv(np.ascontiguousarray(sent), dest, tag, received, source, other)
    return received


def mpi_kept(comm: Any, x: Any, source: int) -> Any:
    """What stays of a buffer: all of it where no process sends, and else nothing."""
    from mpi4py import MPI

    return x if source == MPI.PROC_NULL else np.zeros_like(x)
