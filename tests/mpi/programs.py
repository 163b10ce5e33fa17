"""Programs of several ranks: rank 0 prints how far their derivatives are from those of one.

    python -m tests.mpi.programs NAME...

The functions of `serial` form are the same computations by one process, differentiated by the
complex step, which no rule of adjointgen takes part in.
"""

import json
import sys
from typing import Any

import numpy as np
from mpi4py import MPI

from adjointgen import hvp, jvp, value_and_grad
from tests.mpi import kinds
from tests.mpi.duals import duals

comm = MPI.COMM_WORLD
H = 1e-30


def heat(u, alpha, steps, comm):
    """A part of a rod; `u` has one entry more at each side, the ends of the whole are fixed."""
    left = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
    right = comm.rank + 1 if comm.rank < comm.size - 1 else MPI.PROC_NULL
    for _ in range(steps):
        comm.Sendrecv(u[1:2], left, 0, u[-1:], right, 0)
        comm.Sendrecv(u[-2:-1], right, 1, u[0:1], left, 1)
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return comm.allreduce(np.sum(u[1:-1] ** 2))


def whole_heat(u, alpha, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u[1:-1] ** 2)


def particles(x, strength):
    """Energy of particles that repel each other; positions go round in a ring."""
    here = x.copy()
    energy = 0.0
    after, before = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    for k in range(comm.size):
        for i in range(len(x)):
            for j in range(len(here)):
                if k > 0 or i != j:
                    energy += strength / (1.0 + (x[i] - here[j]) ** 2)
        there = np.empty_like(here)
        comm.Sendrecv(here, after, 7, there, before, 7)
        here = there
    return comm.allreduce(energy)


def whole_particles(x, strength):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j:
                total = total + strength / (1.0 + (x[i] - x[j]) ** 2)
    return total


def collectives(x, p):
    """Every call that is more than one to one, on arrays and numbers."""
    p = comm.bcast(p, root=0)
    scale = np.array([p, p**2, 1.0])
    comm.Bcast(scale, root=comm.size - 1)
    total = np.empty(3)
    comm.Allreduce(x[:3] * scale, total)
    return comm.allreduce(np.sum(total**2 * scale), op=MPI.SUM) + comm.allreduce(x) @ x


def worst(**errors: float) -> dict[str, float]:
    """The errors of all ranks."""
    return {name: comm.allreduce(float(e), op=MPI.MAX) for name, e in errors.items()}


def complex_step(f: Any, args: tuple[Any, ...], k: int, at: Any) -> float:
    moved = [np.array(a, complex) if isinstance(a, np.ndarray) else a for a in args]
    if at is None:
        moved[k] = args[k] + 1j * H
    else:
        moved[k][at] += 1j * H
    return float(np.imag(f(*moved)) / H)


def run_heat() -> dict[str, float]:
    n = 24
    full = np.sin(np.arange(n + 2.0))
    m = n // comm.size
    start = comm.rank * m
    mine = full[start : start + m + 2]
    value, (u_bar, alpha_bar) = value_and_grad(heat, ("u", "alpha"))(mine, 0.2, 5, comm)
    # Each rank has the same result, so the sum of all is so many times the one.
    bars = np.zeros(n + 2)
    bars[start : start + m + 2] = u_bar
    bars = comm.allreduce(bars) / comm.size
    args = full, 0.2, 5
    wanted = np.array([complex_step(whole_heat, args, 0, k) for k in range(n + 2)])
    return worst(
        value=abs(value - whole_heat(*args)),
        u=np.max(np.abs(bars - wanted)),
        alpha=abs(comm.allreduce(alpha_bar) / comm.size - complex_step(whole_heat, args, 1, None)),
    )


def run_particles() -> dict[str, float]:
    full = np.cos(np.arange(8.0) * 3.0) * 2.0
    mine = np.array_split(full, comm.size)[comm.rank]
    value, (x_bar, s_bar) = value_and_grad(particles, ("x", "strength"))(mine, 0.7)
    bars = np.concatenate(comm.allgather(x_bar)) / comm.size
    args = full, 0.7
    wanted = np.array([complex_step(whole_particles, args, 0, k) for k in range(8)])
    strength = comm.allreduce(s_bar) / comm.size
    return worst(
        value=abs(value - whole_particles(*args)),
        x=np.max(np.abs(bars - wanted)),
        strength=abs(strength - complex_step(whole_particles, args, 1, None)),
    )


def run_modes() -> dict[str, float]:
    """The dot product over all ranks, differences of the values, and the symmetry of a Hessian."""
    rng = np.random.default_rng(comm.rank)
    x, p = rng.normal(size=4), 0.3 + comm.rank
    x_dot, p_dot = rng.normal(size=4), 0.5 - comm.rank
    y, y_dot = jvp(collectives, (x, p), (x_dot, p_dot))
    h = 1e-5
    ends = [collectives(x + s * h * x_dot, p + s * h * p_dot) for s in (1, -1)]
    _, (x_bar, p_bar) = value_and_grad(collectives, ("x", "p"))(x, p)
    forward = comm.allreduce(y_dot)
    back = comm.allreduce(x_bar @ x_dot + p_bar * p_dot)
    other = rng.normal(size=4), 1.0
    one = hvp(collectives, (x, p), (x_dot, p_dot))
    two = hvp(collectives, (x, p), other)
    pairs = (one, other), (two, (x_dot, p_dot))
    sides = [comm.allreduce(h[0] @ d[0] + h[1] * d[1]) for h, d in pairs]
    return worst(
        value=abs(y - collectives(x, p)) / abs(y),
        differences=abs(y_dot - (ends[0] - ends[1]) / (2 * h)) / abs(y_dot) * 1e-4,
        transpose=abs(forward - back) / abs(forward),
        symmetry=abs(sides[0] - sides[1]) / abs(sides[0]),
    )


def run_kind(name: str) -> dict[str, float]:
    """The derivatives of one of `kinds`, in every direction of one process."""
    rng = np.random.default_rng(7)
    xs, ps = rng.normal(size=(comm.size, 4)), 0.5 + rng.random(comm.size)
    xs_dot, ps_dot = rng.normal(size=xs.shape), rng.normal(size=ps.shape)
    f, whole = getattr(kinds, name), getattr(kinds, f"whole_{name}")
    own, own_dot = (xs[comm.rank], ps[comm.rank]), (xs_dot[comm.rank], ps_dot[comm.rank])
    gradient, second = np.empty(5), np.empty(5)
    for k in range(5):
        moved = xs.astype(complex), ps.astype(complex)
        moved[k // 4][(comm.rank, k) if k < 4 else comm.rank] += 1j * H
        made = sum(whole(duals(moved[0], xs_dot), duals(moved[1], ps_dot)))
        gradient[k], second[k] = np.imag(made.a) / H, np.imag(made.b) / H
    value, bars = value_and_grad(f, ("x", "p"))(*own)
    y, y_dot = jvp(f, own, own_dot)
    wanted_dot = np.imag(whole(xs + 1j * H * xs_dot, ps + 1j * H * ps_dot)[comm.rank]) / H
    return worst(
        value=apart(value, whole(xs, ps)[comm.rank]) + apart(y, f(*own)),
        gradient=apart(flat(bars), gradient),
        tangent=apart(y_dot, wanted_dot),
        second=apart(flat(hvp(f, own, own_dot)), second),
    )


def flat(parts: Any) -> Any:
    return np.append(parts[0], parts[1])


def apart(found: Any, wanted: Any) -> Any:
    return np.max(np.abs(found - wanted) / np.maximum(1.0, np.abs(wanted)))


if __name__ == "__main__":
    found = {}
    for name in sys.argv[1:]:
        comm.Barrier()
        print(f"rank {comm.rank} begins {name}", file=sys.stderr, flush=True)
        own = globals().get(f"run_{name}")
        for error, size in (own() if own else run_kind(name)).items():
            found[f"{error} of {name}"] = size
    if comm.rank == 0:
        print(json.dumps(found))
