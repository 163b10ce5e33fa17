"""Programs with each kind of message, and the same computations by one process.

`f(x, p)` runs on every rank with an own `x` of four entries and an own `p`; `whole_f(xs, ps)` gives
the list of what all ranks return, from the rows of `xs` and the entries of `ps`. No rule of
adjointgen takes part in the second.
"""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


def pipeline(x, p):
    """Each rank adds to what comes from the one before, and hands it on."""
    held = x.copy()
    if comm.rank > 0:
        comm.Recv(held, source=comm.rank - 1)
    held = np.sin(held) * x + p
    if comm.rank < comm.size - 1:
        comm.Send(held, dest=comm.rank + 1, tag=comm.rank)
        return p * x[0]
    return np.sum(held**2)


def whole_pipeline(xs, ps):
    held, found = xs[0], []
    for k, (x, p) in enumerate(zip(xs, ps, strict=True)):
        held = np.sin(held) * x + p
        found.append(p * x[0] if k < len(xs) - 1 else np.sum(held**2))
    return found


def constants(x, p):
    """What is sent is a constant on some ranks, and received for nothing on others."""
    held, unused = np.zeros(4), np.zeros(1)
    after, before = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    if comm.rank % 2:
        comm.Sendrecv(x * p, after, 0, held, before, 0)
    else:
        comm.Sendrecv(np.ones(4), after, 0, held, before, 0)
    comm.Sendrecv(x[:1], after, 1, unused, before, 1)
    return np.sum(held * x**2)


def whole_constants(xs, ps):
    sent = [x * p if k % 2 else np.ones(4) for k, (x, p) in enumerate(zip(xs, ps, strict=True))]
    return [np.sum(sent[k - 1] * x**2) for k, x in enumerate(xs)]


def values(x, p):
    """Numbers and arrays as objects of Python's."""
    if comm.rank == 0:
        total = p**2
        for k in range(1, comm.size):
            number = float(comm.recv(source=k))
            comm.send(x * number, dest=k, tag=4)
            total += number * p
        return total
    comm.send(p * x[1], dest=0, tag=3)
    scaled = np.zeros(4)
    scaled[:] = comm.recv(source=0, tag=4)
    return np.sum(np.exp(-scaled) * x)


def whole_values(xs, ps):
    sent = [p * x[1] for x, p in zip(xs, ps, strict=True)]
    first = ps[0] ** 2 + sum(ps[0] * s for s in sent[1:])
    return [first] + [np.sum(np.exp(-xs[0] * s) * x) for s, x in zip(sent[1:], xs[1:], strict=True)]


def exchanged(x, p):
    """A ring of numbers, and one of arrays, which come back as values."""
    after, before = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    there = comm.sendrecv(p * x[0], dest=after, source=before, recvtag=0)
    row = comm.sendrecv(x * there, after, 1, source=before)
    return np.sum(np.sin(row) * x) * there


def whole_exchanged(xs, ps):
    there = [ps[k - 1] * xs[k - 1][0] for k in range(len(xs))]
    rows = [xs[k - 1] * there[k - 1] for k in range(len(xs))]
    return [np.sum(np.sin(rows[k]) * xs[k]) * there[k] for k in range(len(xs))]


def halo(x, p):
    """A part of a rod with one entry more at each side; the ends of the whole are fixed."""
    left = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
    right = comm.rank + 1 if comm.rank < comm.size - 1 else MPI.PROC_NULL
    u = np.zeros(6)
    u[1:-1] = x
    for _ in range(3):
        requests = [
            comm.Irecv(u[0:1], source=left, tag=1),
            comm.Irecv(u[-1:], source=right, tag=0),
            comm.Isend(u[1:2], dest=left, tag=0),
            comm.Isend(u[-2:-1], dest=right, tag=1),
        ]
        inner = np.cos(u[1:-1])
        MPI.Request.Waitall(requests)
        u[1:-1] += p * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * inner
    return np.sum(u[1:-1] ** 2)


def whole_halo(xs, ps):
    u = np.zeros(4 * len(xs) + 2, dtype=np.result_type(xs, ps))
    u[1:-1] = xs.ravel()
    for _ in range(3):
        u[1:-1] += np.repeat(ps, 4) * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * np.cos(u[1:-1])
    return [np.sum(row**2) for row in u[1:-1].reshape(len(xs), 4)]


def waited(x, p):
    """Requests with names, one after the other, and objects."""
    after, before = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    here, there = np.empty(4), np.empty(4)
    first = comm.Irecv([here, MPI.DOUBLE], source=before, tag=7)
    second = comm.Irecv(there, source=before, tag=7)
    sent = comm.Isend([x * p, MPI.DOUBLE], dest=after, tag=7)
    comm.Isend(x**2, dest=after, tag=7)
    first.Wait()
    value = comm.irecv(source=before, tag=8)
    comm.isend(np.sum(here) * p, dest=after, tag=8)
    second.Wait()
    sent.Wait()
    number = float(value.wait())
    return np.sum(here * there * x) + number * p


def whole_waited(xs, ps):
    here = [xs[k - 1] * ps[k - 1] for k in range(len(xs))]
    numbers = [np.sum(here[k - 1]) * ps[k - 1] for k in range(len(xs))]
    return [np.sum(here[k] * xs[k - 1] ** 2 * xs[k]) + numbers[k] * ps[k] for k in range(len(xs))]


def unlike(x, p):
    """Ranks that exchange in other ways than the one they exchange with."""
    held = np.zeros(4)
    if comm.size == 1:
        return np.sum(x**3) * p
    if comm.rank % 2 == 0:
        comm.Sendrecv(x * p, comm.rank + 1, 5, held, comm.rank + 1, 6)
    else:
        comm.Recv(held, comm.rank - 1, MPI.ANY_TAG)
        comm.Send(held * x, comm.rank - 1, 6)
    return np.sum(held * x**2)


def whole_unlike(xs, ps):
    if len(xs) == 1:
        return [np.sum(xs[0] ** 3) * ps[0]]
    found = []
    for k in range(0, len(xs), 2):
        sent = xs[k] * ps[k]
        back = sent * xs[k + 1]
        found += [np.sum(back * xs[k] ** 2), np.sum(sent * xs[k + 1] ** 2)]
    return found


def handed(x, p):
    """A function that sends and receives, called in a loop and once more."""
    for _ in range(2):
        x = shifted(x * p, 2)
    return np.sum(shifted(np.sin(x), 3) * x)


def shifted(row, tag):
    there = np.zeros(4)
    sent = comm.Isend(row, (comm.rank + 1) % comm.size, tag)
    comm.Recv(there, (comm.rank - 1) % comm.size, tag)
    sent.Wait()
    return there


def whole_handed(xs, ps):
    for _ in range(2):
        xs = np.roll(xs * ps[:, None], 1, axis=0)
    return list(np.sum(np.roll(np.sin(xs), 1, axis=0) * xs, axis=1))


def settled(x, p):
    """As many steps as all ranks together take, which the test of the loop asks for."""
    after, before = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    k = 0
    while k < 20 and comm.allreduce(np.sum(x**2)) > 0.1:
        there = np.empty(4)
        comm.Sendrecv(x, after, 0, there, before, 0)
        x = 0.3 * p * (x + np.sin(there))
        k += 1
    return np.sum(x * p)


def whole_settled(xs, ps):
    while np.sum(real(xs) ** 2) > 0.1:
        xs = 0.3 * ps[:, None] * (xs + np.sin(np.roll(xs, 1, axis=0)))
    return list(np.sum(xs, axis=1) * ps)


def real(xs):
    """The values of complex numbers, or of numbers with a derivative."""
    return np.array([np.real(getattr(x, "a", x)) for x in xs.ravel()])


def collected(x, p):
    """Parts of all ranks at one, and parts of one at all."""
    root = comm.size - 1
    every = np.zeros((comm.size, 4))
    comm.Gather(x * p, every, root=root)
    every = every**2 * p
    own = np.ones(4)
    comm.Scatter(every, own, root=root)
    total = x.copy()
    comm.Reduce(own * x, total)
    return np.sum(np.sin(total) * x)


def whole_collected(xs, ps):
    every = (xs * ps[:, None]) ** 2 * ps[-1]
    totals = [np.sum(every * xs, axis=0), *xs[1:]]
    return [np.sum(np.sin(t) * x) for t, x in zip(totals, xs, strict=True)]


def rooted(x, p):
    """Buffers that the root alone has."""
    every = parts = None
    if comm.rank == 0:
        every = np.empty((comm.size, 4))
    comm.Gather(x * p, every, root=0)
    if comm.rank == 0:
        parts = np.sin(every) * every
    own = np.empty(4)
    comm.Scatter(parts, own, root=0)
    total = np.zeros(4) if comm.rank == 0 else None
    comm.Reduce(own * x, total, root=0)
    if comm.rank == 0:
        return np.sum(total**2)
    return np.sum(own * p)


def whole_rooted(xs, ps):
    every = xs * ps[:, None]
    own = np.sin(every) * every
    return [np.sum(np.sum(own * xs, axis=0) ** 2), *np.sum(own[1:].T * ps[1:], axis=0)]


def numbered(x, p):
    """Lists with a number of each rank."""
    every = comm.allgather(p * x[0])
    total = np.sum(np.array(every) ** 2) + sum(every) * every[comm.rank]
    own = comm.gather(np.sin(x[1]), root=0)
    if comm.rank == 0:
        for k in range(comm.size):
            total = total + own[k] ** 2 * x[2]
    return total


def whole_numbered(xs, ps):
    every = xs[:, 0] * ps
    found = [np.sum(every**2) + np.sum(every) * one for one in every]
    return [found[0] + np.sum(np.sin(xs[:, 1]) ** 2) * xs[0, 2], *found[1:]]


def spread(x, p):
    """Parts of all ranks at all."""
    every = np.zeros((comm.size, 4))
    comm.Allgather(x * p, every)
    turned = np.empty_like(every)
    comm.Alltoall(every * x, turned)
    return np.sum(np.cos(turned) * every)


def whole_spread(xs, ps):
    every = xs * ps[:, None]
    turned = [np.array([every[k] * x for x in xs]) for k in range(len(xs))]
    return [np.sum(np.cos(t) * every) for t in turned]


def reduced(x, p):
    """A sum that only the root has."""
    total = comm.reduce(np.sum(x) * p, op=MPI.SUM, root=0)
    rows = comm.reduce(x * p, root=0)
    if comm.rank == 0:
        return total**2 + np.sum(rows * x)
    return p * x[0]


def whole_reduced(xs, ps):
    total, rows = np.sum(xs.T * ps), xs.T @ ps
    return [total**2 + np.sum(rows * xs[0])] + [
        p * x[0] for x, p in zip(xs[1:], ps[1:], strict=True)
    ]
