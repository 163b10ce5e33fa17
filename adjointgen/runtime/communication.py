"""Messages between processes, as values: what a communicator of MPI leaves in a buffer.

Nothing here imports the package: the source is copied into the generated modules that call it.
"""

import atexit
from typing import Any

import numpy as np


class Sending:
    """Messages that are on their way. Their memory is kept until they have left it."""

    requests: list[Any] = []
    at_exit: list[Any] = []

    def add(self, request: Any) -> None:
        """Keep a request that is not complete, and such ones before it."""
        if not self.at_exit:
            self.at_exit.append(atexit.register(self.finish))
        self.requests[:] = [one for one in (*self.requests, request) if not one.Test()]

    def finish(self) -> None:
        """Wait for all of them, which MPI asks for before it ends."""
        from mpi4py import MPI

        if self.requests and not MPI.Is_finalized():
            MPI.Request.Waitall(self.requests)


def mpi_send(comm: Any, x: Any, dest: int, tag: int) -> None:
    """Send `x` as it is now, without waiting for the process that receives it."""
    Sending().add(comm.Isend(np.array(x, order="C"), dest, tag))


def mpi_send_value(comm: Any, x: Any, dest: int, tag: int) -> None:
    """Send a number or an array as an object of Python's, likewise."""
    Sending().add(comm.isend(x, dest, tag))


def mpi_receive(comm: Any, held: Any, source: int, tag: int) -> Any:
    """What a message leaves in a buffer that held `held`; from no process, it stays as it is.

    Raises ValueError for a message from any process, or with any tag: an adjoint would not know
    where to send.
    """
    from mpi4py import MPI

    if source != MPI.PROC_NULL and tag == MPI.ANY_TAG:
        raise ValueError("a message that is differentiated has one source and one tag")
    return mpi_received(comm, held, source, tag, MPI.Status())


def mpi_receive_any(comm: Any, held: Any, source: int) -> tuple[Any, int]:
    """The same with any tag, and the tag that it has."""
    from mpi4py import MPI

    status = MPI.Status()
    received = mpi_received(comm, held, source, MPI.ANY_TAG, status)
    return received, 0 if source == MPI.PROC_NULL else status.Get_tag()


def mpi_received(comm: Any, held: Any, source: int, tag: int, status: Any) -> Any:
    """What the buffer holds afterwards. Raises ValueError for a message that does not fill it."""
    from mpi4py import MPI

    if source == MPI.ANY_SOURCE:
        raise ValueError("a message that is differentiated has one source and one tag")
    received = np.array(held, order="C")
    if source == MPI.PROC_NULL:
        return received
    comm.Recv(received, source, tag, status)
    if status.Get_count(MPI.BYTE) != received.nbytes:
        raise ValueError("a message that is differentiated is as long as its buffer")
    return received


def mpi_receive_value(comm: Any, held: Any, source: int, tag: int, rank: int | None = None) -> Any:
    """The number or array that comes; from no process, `held`. Raises ValueError for any tag."""
    from mpi4py import MPI

    if source == MPI.PROC_NULL and held is not None:
        return held
    if tag == MPI.ANY_TAG:
        raise ValueError("a message that is differentiated has one source and one tag")
    received = mpi_value(comm, source, tag, MPI.Status(), rank)
    if held is not None and np.shape(received) != np.shape(held):
        raise ValueError("the adjoint of a message has the shape of what was sent")
    return received


def mpi_receive_value_any(comm: Any, source: int, rank: int | None = None) -> tuple[Any, int]:
    """The same with any tag, and the tag that it has."""
    from mpi4py import MPI

    status = MPI.Status()
    return mpi_value(comm, source, MPI.ANY_TAG, status, rank), status.Get_tag()


def mpi_value(comm: Any, source: int, tag: int, status: Any, rank: int | None) -> Any:
    """The number or array that comes.

    Raises ValueError for what comes from no process or any, or has not `rank` axes, TypeError for
    what is no float or array of floats.
    """
    from mpi4py import MPI

    if source == MPI.ANY_SOURCE:
        raise ValueError("a message that is differentiated has one source and one tag")
    if source == MPI.PROC_NULL:
        raise ValueError("MPI.PROC_NULL sends nothing: leave the call out there")
    received = comm.recv(None, source, tag, status)
    if not isinstance(received, float | np.ndarray) or np.asarray(received).dtype != float:
        raise TypeError("a message that is differentiated is a float or an array of floats")
    if rank is not None and np.ndim(received) != rank:
        raise ValueError(f"a message has {np.ndim(received)} axes, and {rank} are expected")
    return received if np.ndim(received) else float(received)


def mpi_kept(comm: Any, x: Any, source: int) -> Any:
    """What stays of a buffer: all of it where no process sends, and else nothing."""
    from mpi4py import MPI

    return x if source == MPI.PROC_NULL else np.zeros_like(x)[()]


def mpi_sum(comm: Any, x: Any) -> Any:
    """The sum of `x` over all processes, on each of them."""
    if not isinstance(x, np.ndarray):
        return comm.allreduce(x)
    total = np.empty_like(x, order="C")
    comm.Allreduce(np.ascontiguousarray(x), total)
    return total


def mpi_bcast(comm: Any, x: Any, root: int) -> Any:
    """What `x` is at the process `root`."""
    if not isinstance(x, np.ndarray):
        return comm.bcast(x, root)
    held = np.array(x, order="C")
    comm.Bcast(held, root)
    return held


def mpi_sum_at(comm: Any, x: Any, root: int) -> Any:
    """The sum of `x` over all processes at `root`, and zero elsewhere."""
    if not isinstance(x, np.ndarray):
        total = comm.reduce(x, root=root)
        return total if comm.rank == root else np.zeros_like(x)[()]
    total = np.zeros_like(x, order="C")
    comm.Reduce(np.ascontiguousarray(x), total, root=root)
    return total


def mpi_at_root(comm: Any, x: Any, held: Any, root: int) -> Any:
    """`x` at the process `root`, and `held` elsewhere."""
    return x if comm.rank == root else held


def mpi_gather(comm: Any, x: Any, held: Any, root: int) -> Any:
    """`x` of all processes at `root`, in the shape of `held`, and zeros elsewhere."""
    received = np.zeros_like(held, order="C")
    comm.Gather(np.ascontiguousarray(x), received, root=root)
    return received


def mpi_scatter(comm: Any, x: Any, held: Any, root: int) -> Any:
    """The own part of `x` of the process `root`, in the shape of `held`."""
    received = np.empty_like(held, order="C")
    comm.Scatter(np.ascontiguousarray(x), received, root=root)
    return received


def mpi_gather_to(comm: Any, x: Any, root: int) -> None:
    """Send `x` to `root`, which has it with that of all others."""
    if comm.rank == root:
        raise ValueError("the root gathers into a buffer")
    comm.Gather(np.ascontiguousarray(x), None, root=root)


def mpi_sum_to(comm: Any, x: Any, root: int) -> None:
    """Send `x` to `root`, which has the sum of all."""
    if comm.rank == root:
        raise ValueError("the root reduces into a buffer")
    comm.Reduce(np.ascontiguousarray(x), None, root=root)


def mpi_scatter_from(comm: Any, held: Any, root: int) -> Any:
    """The own part of what `root` has, in the shape of `held`."""
    if comm.rank == root:
        raise ValueError("the root scatters what is in a buffer")
    received = np.empty_like(held, order="C")
    comm.Scatter(None, received, root=root)
    return received


def mpi_allgather(comm: Any, x: Any, held: Any) -> Any:
    """`x` of all processes, in the shape of `held`."""
    received = np.empty_like(held, order="C")
    comm.Allgather(np.ascontiguousarray(x), received)
    return received


def mpi_sum_parts(comm: Any, x: Any, held: Any) -> Any:
    """The own part, in the shape of `held`, of the sum of `x` over all processes."""
    received = np.empty_like(held, order="C")
    comm.Reduce_scatter_block(np.ascontiguousarray(x), received)
    return received


def mpi_alltoall(comm: Any, x: Any, held: Any) -> Any:
    """The parts of all `x` that have the own number, in the shape of `held`."""
    received = np.empty_like(held, order="C")
    comm.Alltoall(np.ascontiguousarray(x), received)
    return received
