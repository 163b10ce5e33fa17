"""Random programs of several ranks: rows with holes, in random order, in loops and branches.

    python -m tests.mpi.random_programs FOLDER FIRST LAST

writes and runs programs of these numbers on each rank, and prints on rank 0 how far derivatives are
from differences, the transpose and the symmetry of the Hessian. A row has the variables A and B, a
rank to send TO and one FROM which comes as much, a ROOT and a TAG.
"""

import importlib.util
import json
import random
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

from adjointgen import hvp, jvp, value_and_grad

comm = MPI.COMM_WORLD
ROWS = [
    "t = np.empty(4)\ncomm.Sendrecv(A * p, TO, TAG, t, FROM, TAG)\nB = B + np.sin(t)",
    "t = np.zeros(4)\nr = comm.Irecv(t, FROM, TAG)\ncomm.Isend(A, TO, TAG).Wait()\n"
    "A = A * 1.1\nr.Wait()\nB = B * np.cos(t)",
    "t = np.zeros(4)\ns = comm.Isend(np.cos(A), TO, TAG)\ncomm.Recv(t, FROM)\ns.Wait()\n"
    "B = 0.5 * B + t * p",
    "t, q = np.zeros(4), np.zeros(4)\nr, s = comm.Irecv(t, FROM, TAG), comm.Irecv(q, FROM, TAG)\n"
    "comm.Send(A, TO, TAG)\ncomm.Send(B * 0.5, TO, TAG)\nMPI.Request.Waitall([s, r])\n"
    "A = t * 0.5 + np.sin(q)",
    "if comm.rank % 2:\n    comm.Send(A * p, TO, TAG)\nelse:\n    comm.Send(np.ones(4), TO, TAG)\n"
    "t = np.empty(4)\ncomm.Recv(t, FROM, TAG)\nB = np.tanh(B + t * A)",
    "B = B + 0.3 * comm.sendrecv(A[1] * p, TO, source=FROM)",
    "B = B + 0.1 * comm.allreduce(np.sum(A))",
    "A = A.copy()\ncomm.Bcast(A, root=ROOT)\nB = B * 0.7 + A",
    "t = np.zeros((comm.size, 4))\ncomm.Gather(A, t, root=ROOT)\nB = B + 0.2 * np.sum(t, axis=0)",
    "t, q = np.zeros((comm.size, 4)), np.empty(4)\ncomm.Allgather(A, t)\n"
    "comm.Scatter(t * p, q, root=ROOT)\nB = np.sin(q) + B",
    "A = np.tanh(B + p * A)",
    "A = np.sin(B) * np.cos(A)",
]


def _filled(holes: dict[str, str], hole: re.Match[str]) -> str:
    return holes[hole[0]]


def block(rng: random.Random, depth: int) -> list[str]:
    found: list[str] = []
    for _ in range(rng.randint(2, 4)):
        if depth and rng.random() < 0.25:
            head = f"for _ in range({rng.randint(1, 3)}):"
            found += [head, *(f"    {line}" for line in block(rng, depth - 1))]
            continue
        row, k = rng.choice(ROWS), rng.randint(1, 2)
        holes = {"A": rng.choice("uvw"), "B": rng.choice("uvw"), "ROOT": str(rng.randint(0, 2))}
        holes |= {"TO": f"(comm.rank + {k}) % comm.size", "FROM": f"(comm.rank - {k}) % comm.size"}
        holes["TAG"] = str(rng.randint(0, 2))
        row = re.sub(r"\b(ROOT|FROM|TAG|TO|A|B)\b", partial(_filled, holes), row)
        found += row.split("\n")
    return found


def program(folder: Path, number: int) -> Any:
    """A function of the own `x` and `p`, in a file of its own on each rank."""
    file = folder / f"program_{number}_{comm.rank}.py"
    lines = ["u, v, w = x.copy(), np.cos(x), x * p", *block(random.Random(number), 2)]
    lines += ["return np.sum(np.tanh(u) * np.cos(v)) + np.sum(np.sin(w))"]
    head = ["import numpy as np", "from mpi4py import MPI", "", "comm = MPI.COMM_WORLD", "", ""]
    body = [f"    {line}" for line in lines]
    file.write_text("\n".join([*head, "def f(x, p):", *body, ""]), "utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def errors(f: Any, number: int) -> dict[str, float]:
    rng = np.random.default_rng([comm.rank, number])
    x, p = rng.normal(size=4), 0.4 + 0.3 * rng.random()
    one, two = (rng.normal(size=4), 0.3), (rng.normal(size=4), -0.7)

    def product(a: Any, b: Any) -> float:
        return comm.allreduce(float(a[0] @ b[0] + a[1] * b[1]))

    def moved(step: float) -> float:
        return f(x + step * one[0], p + step * one[1])

    value, bars = value_and_grad(f, ("x", "p"))(x, p)
    _, y_dot = jvp(f, (x, p), one)
    h = 1e-4
    found = (8 * (moved(h) - moved(-h)) - moved(2 * h) + moved(-2 * h)) / (12 * h)
    sides = [product(hvp(f, (x, p), a), b) for a, b in ((one, two), (two, one))]
    forward = comm.allreduce(float(y_dot))
    return {
        "value": comm.allreduce(abs(value - f(x, p))),
        "differences": comm.allreduce(abs(found - y_dot)) / (1.0 + abs(forward)) * 1e-6,
        "transpose": abs(forward - product(bars, one)) / (1.0 + abs(forward)),
        "symmetry": abs(sides[0] - sides[1]) / (1.0 + abs(sides[0])),
    }


if __name__ == "__main__":
    worst: dict[str, float] = {}
    for number in range(int(sys.argv[2]), int(sys.argv[3])):
        for name, error in errors(program(Path(sys.argv[1]), number), number).items():
            worst[f"{name} of {number}"] = error
    if comm.rank == 0:
        print(json.dumps(worst))
